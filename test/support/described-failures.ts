import type { App } from '../../src/platform/http/app.ts'
import { failuresOf } from '../../src/platform/http/description/describe.ts'

/** Statuses that any call may return: the request was too slow, too large or of the wrong type. */
const commonStatuses = new Set([408, 413, 414, 415, 431])

/** Fails the current test when a call returns a 4xx status that the API description doesn't list. */
export function requireDescribedFailures(app: App): void {
  app.addHook('onResponse', ({ method, routeOptions }, { statusCode }, done) => {
    const { schema, config, url } = routeOptions
    const isDescribed = schema !== undefined && !schema.hide
    if (isDescribed && statusCode >= 400 && statusCode < 500 && !commonStatuses.has(statusCode))
      if (
        !failuresOf({ method, config, schema }).includes(statusCode) &&
        !describedStatuses(schema).includes(String(statusCode))
      )
        console.error(`${method} ${url} answered ${statusCode}, which its description doesn't list.`)
    done()
  })
}

const describedStatuses = ({ response }: { response?: unknown }) => Object.keys(Object(response))
