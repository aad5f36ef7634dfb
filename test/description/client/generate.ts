import { registerHooks } from 'node:module'
import { text } from 'node:stream/consumers'

// Reads the API description and prints its types. The generator requires the JavaScript version of TypeScript.
registerHooks({ resolve: (name, context, next) => next(name === 'typescript' ? 'typescript-js' : name, context) })
const { default: openapiTS, astToString } = await import('openapi-typescript')

process.stdout.write(astToString(await openapiTS(JSON.parse(await text(process.stdin)))))
