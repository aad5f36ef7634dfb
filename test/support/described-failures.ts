import type { App } from '../../src/platform/http/app.ts'
import { failuresOf } from '../../src/platform/http/description/describe.ts'

/** What any call may answer, whatever it is: it took too long, or was too large or of the wrong type. */
const everywhere = new Set([408, 413, 414, 415, 431])

/** Reports every error that a call answers although the API's description doesn't list it: each test that meets one fails. */
export function insistOnDescribedFailures(app: App): void {
  app.addHook('onResponse', ({ method, routeOptions }, { statusCode }, done) => {
    const { schema, config, url } = routeOptions
    const isDescribed = schema !== undefined && !schema.hide
    if (isDescribed && statusCode >= 400 && statusCode < 500 && !everywhere.has(statusCode))
      if (
        !failuresOf({ method, config, schema }).includes(statusCode) &&
        !answersOf(schema).includes(String(statusCode))
      )
        console.error(`${method} ${url} answered ${statusCode}, which its description doesn't list.`)
    done()
  })
}

const answersOf = ({ response }: { response?: unknown }) => Object.keys(Object(response))
