import { registerHooks } from 'node:module'
import { text } from 'node:stream/consumers'

// Reads the API's description and prints its types. The generator needs the TypeScript that is written in JavaScript.
registerHooks({ resolve: (name, context, next) => next(name === 'typescript' ? 'typescript-js' : name, context) })
const { default: openapiTS, astToString } = await import('openapi-typescript')

process.stdout.write(astToString(await openapiTS(JSON.parse(await text(process.stdin)))))
