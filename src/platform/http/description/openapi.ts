import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { extname } from 'node:path'
import type { RouteOptions } from 'fastify'
import type { OpenAPIV3_1 } from 'openapi-types'
import { onceAsync } from '../../../shared/async.ts'
import { pages } from '../../../shared/pages.ts'
import type { Config } from '../../config/config.ts'
import { open } from '../access/guard.ts'
import { pagePolicy } from '../access/headers.ts'
import type { App } from '../app.ts'
import { compressResponse } from '../page/compress-answer.ts'
import { escapeHtml, shellPage } from '../shell-page.ts'

const require = createRequire(import.meta.url)

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
}

/**
 * Describes every route mounted later, as OpenAPI 3.1 and as a page to read about the API and to try it out, styled like
 * the app. `ui` is the folder of the app's styles; `figures` are paths that return how many entries fail, one per tool.
 */
export function openapi(app: App, config: Config, ui: URL, figures: readonly string[] = []): void {
  const routes: RouteOptions[] = []
  app.addHook('onRoute', (route) => {
    if (route.method !== 'HEAD') routes.push(route)
  })
  // Rarely requested, and its generator is large, so loaded on demand.
  const describeApi = onceAsync(async () => (await import('./describe.ts')).describe(routes, config))
  const hidden = { schema: { hide: true } } as const
  let page: string | undefined
  app.get('/api/docs', { ...hidden, onSend: compressResponse }, async (_request, reply) => {
    page ??= docsPage(await describeApi(), config.baseUrl)
    return reply.header('content-security-policy', pagePolicy(page)).type('text/html; charset=utf-8').send(page)
  })
  for (const [name, content] of Object.entries(filesOf(ui, figures))) {
    const type = types[extname(name)] ?? ''
    app.get(`/api/docs/${name}`, hidden, (_request, reply) =>
      reply.header('cache-control', hour).type(type).send(content),
    )
  }
  app.get('/api/v1/openapi.json', { ...open('read'), ...hidden, onSend: compressResponse }, describeApi)
}

/** The page's files by their address below it: its own, the app's styles in one file, and the fonts they reference. */
function filesOf(ui: URL, figures: readonly string[]): Record<string, string | Buffer> {
  const text = (name: string, at: URL | string) => readFileSync(new URL(name, at), 'utf8')
  const own = ['docs.js', 'theme.js', 'docs.css'].map((name) => [name, text(name, import.meta.url)])
  const header = `const figures = ${JSON.stringify(figures)}\n${text('header.js', import.meta.url)}`
  const styles = ['tokens.css', 'fonts.css', 'base.css'].map((name) => text(name, ui))
  const app = [...styles, text('header.css', import.meta.url)].join('\n').replace(/^@import .*$/gm, '')
  const fonts = [...app.matchAll(/url\("(?:\.\/)?([^"]+)"\)/g)].map(([, path = '']) => {
    const file = path.startsWith('@') ? require.resolve(path) : new URL(path, ui)
    return [path, readFileSync(file)]
  })
  return Object.fromEntries([...own, ['header.js', header], ['app.css', app], ...fonts])
}

/** Without a cache, every page would wait for these files. */
const hour = 'public, max-age=3600'

type Operation = { path: string; method: string } & OpenAPIV3_1.OperationObject

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const

/** Plain HTML that can be read before its script has loaded. */
function docsPage(api: OpenAPIV3_1.Document, baseUrl: string): string {
  const operations = operationsOf(api)
  const groups = [...Map.groupBy(operations, (one) => one.tags?.[0] ?? 'other')]
  return shellPage({
    title: 'API',
    style: '/api/docs/docs.css',
    head: '<script type="module" src="/api/docs/docs.js"></script>',
    main: `<div><p class="above"><a href="${pages.profile.path}">User Profile</a></p><h1>API</h1>
<p class="lead">${escapeHtml(api.info.description ?? '')} Also available as an <a href="/api/v1/openapi.json">OpenAPI ${api.openapi}</a> document.</p></div>
<nav class="groups" aria-label="Groups">${groups.map(([name]) => `<a href="#${anchorOf(name)}">${escapeHtml(name)}</a>`).join('')}</nav>
${keyPart(escapeHtml(baseUrl))}
${groups.map(([name, all]) => `<section class="group" id="${anchorOf(name)}"><h2>${escapeHtml(name)}</h2>${all.map(operationHtml).join('')}</section>`).join('')}`,
  })
}

const keyPart = (server: string): string => `<section aria-labelledby="key-head">
<h2 id="key-head">API keys</h2>
<p class="lead">Programs act on your behalf with an API key. Create one under <a href="${pages.keys.path}">API keys</a>; it is shown only once. The
<code>read</code> scope allows GET requests, <code>write</code> allows changes, and neither exceeds your own permissions.
Requests with a key need no cookie and no <code>X-XSRF-TOKEN</code>; calls that require a session say so below.</p>
<pre>curl -H "Authorization: Bearer tbx_…" ${server}/api/v1/auth/session</pre>
<label>Try the calls below with a key instead of your session
<input id="key" type="password" autocomplete="off" spellcheck="false" placeholder="tbx_…"></label>
</section>`

function operationsOf(api: OpenAPIV3_1.Document): Operation[] {
  return Object.entries(api.paths ?? {}).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item?.[method]
      return operation ? [{ ...operation, path, method }] : []
    }),
  )
}

function operationHtml({ path, method, summary, description, parameters, requestBody, responses }: Operation): string {
  const inlineParameters = (parameters ?? []).filter((one) => 'name' in one)
  const body = requestBody && 'content' in requestBody ? requestBody.content['application/json']?.schema : undefined
  return `<details><summary><b class="${method}">${method.toUpperCase()}</b> <code>${escapeHtml(path)}</code> <span>${escapeHtml(summary ?? '')}</span></summary>
<p>${escapeHtml(description ?? '')}</p>
<form data-method="${method}" data-path="${escapeHtml(path)}">
${inlineParameters.map(parameterHtml).join('')}
${body ? `<label>Body <textarea name="body" rows="8" spellcheck="false">${escapeHtml(JSON.stringify(exampleOf(body), null, 2))}</textarea></label>${schemaHtml('Schema of the body', body)}` : ''}
<button>Send</button> <output></output>
</form>
${Object.entries(responses ?? {})
  .map(answerHtml)
  .join('')}
</details>`
}

const parameterHtml = ({ name, in: place, required, schema }: OpenAPIV3_1.ParameterObject) =>
  `<label>${escapeHtml(name)} <small>${place}${required ? ', required' : ''}, ${escapeHtml(typeOf(schema))}</small> <input name="${escapeHtml(name)}" data-in="${place}"${required ? ' required' : ''}></label>`

function answerHtml([status, answer]: [string, OpenAPIV3_1.ReferenceObject | OpenAPIV3_1.ResponseObject]): string {
  const schema = 'content' in answer ? answer.content?.['application/json']?.schema : undefined
  if (schema && '$ref' in schema) return ''
  return schema ? schemaHtml(`Answer ${status}`, schema) : ''
}

const schemaHtml = (title: string, schema: unknown) =>
  `<details><summary>${escapeHtml(title)}</summary><pre>${escapeHtml(JSON.stringify(schema, null, 2))}</pre></details>`

type Schema = OpenAPIV3_1.SchemaObject | OpenAPIV3_1.ReferenceObject | undefined

const typeOf = (schema: Schema) => (schema && 'type' in schema ? String(schema.type) : 'any')

/** An example body with only the required fields, empty. */
function exampleOf(schema: Schema): unknown {
  if (!schema || '$ref' in schema) return {}
  if (schema.default !== undefined) return schema.default
  if (schema.type === 'object') {
    const needed = Object.entries(schema.properties ?? {}).filter(([name]) => schema.required?.includes(name))
    return Object.fromEntries(needed.map(([name, one]) => [name, exampleOf(one)]))
  }
  if (schema.type === 'array') return []
  return { string: '', integer: 0, number: 0, boolean: false }[String(schema.type)] ?? null
}

const anchorOf = (name: string) => encodeURIComponent(name.replaceAll(' ', '-'))
