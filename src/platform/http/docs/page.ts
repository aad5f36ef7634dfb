import { readFileSync } from 'node:fs'
import type { OpenAPIV3_1 } from 'openapi-types'
import { pagePolicy } from '../access/headers.ts'
import type { App } from '../app.ts'

const read = (name: string) => readFileSync(new URL(name, import.meta.url))

/** `GET /api/docs`: a page to read the API and to try it. */
export function docs(app: App, baseUrl: string): void {
  const hidden = { schema: { hide: true } } as const
  const scripts = { 'docs.js': read('docs.js'), 'theme.js': read('theme.js') }
  const style = read('docs.css')
  let page: string | undefined
  app.get('/api/docs', hidden, (_request, reply) => {
    page ??= docsPage(app.swagger() as OpenAPIV3_1.Document, baseUrl)
    return reply.header('content-security-policy', pagePolicy(page)).type('text/html; charset=utf-8').send(page)
  })
  for (const [name, script] of Object.entries(scripts))
    app.get(`/api/docs/${name}`, hidden, (_request, reply) => reply.type('text/javascript; charset=utf-8').send(script))
  app.get('/api/docs/docs.css', hidden, (_request, reply) => reply.type('text/css; charset=utf-8').send(style))
}

type Operation = { path: string; method: string } & OpenAPIV3_1.OperationObject

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const

/** A page to read what the API offers and to try it: plain HTML, which works before its script arrives. */
function docsPage(api: OpenAPIV3_1.Document, baseUrl: string): string {
  const operations = operationsOf(api)
  const groups = [...Map.groupBy(operations, (one) => one.tags?.[0] ?? 'other')]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>ToolBox - API</title>
<link rel="icon" href="data:,">
<script src="/api/docs/theme.js"></script>
<link rel="stylesheet" href="/api/docs/docs.css">
<script type="module" src="/api/docs/docs.js"></script>
</head>
<body>
<header><a href="/">Tool Box</a><h1>API</h1><p>${escapeHtml(api.info.description ?? '')} Also available as an <a href="/api/v1/openapi.json">OpenAPI ${api.openapi}</a> document.</p>
<nav aria-label="Groups">${groups.map(([name]) => `<a href="#${anchorOf(name)}">${escapeHtml(name)}</a>`).join(' ')}</nav></header>
${keyPart(escapeHtml(baseUrl))}
<main>${groups.map(([name, all]) => `<section id="${anchorOf(name)}"><h2>${escapeHtml(name)}</h2>${all.map(operationHtml).join('')}</section>`).join('')}</main>
</body>
</html>`
}

/** How a program calls, and a field for a key that the forms of the page then call with. */
const keyPart = (server: string): string => `<section class="key" aria-labelledby="key-head">
<h2 id="key-head">API keys</h2>
<p>Programs act on your behalf with an API key. Create one on <a href="/user">your profile</a>; it is shown only once. The
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
  const given = (parameters ?? []).filter((one) => 'name' in one)
  const body = requestBody && 'content' in requestBody ? requestBody.content['application/json']?.schema : undefined
  return `<details><summary><b class="${method}">${method.toUpperCase()}</b> <code>${escapeHtml(path)}</code> ${escapeHtml(summary ?? '')}</summary>
<p>${escapeHtml(description ?? '')}</p>
<form data-method="${method}" data-path="${escapeHtml(path)}">
${given.map(parameterHtml).join('')}
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
  return schema ? schemaHtml(`Answer ${status}`, schema) : ''
}

const schemaHtml = (title: string, schema: unknown) =>
  `<details><summary>${escapeHtml(title)}</summary><pre>${escapeHtml(JSON.stringify(schema, null, 2))}</pre></details>`

type Schema = OpenAPIV3_1.SchemaObject | OpenAPIV3_1.ReferenceObject | undefined

const typeOf = (schema: Schema) => (schema && 'type' in schema ? String(schema.type) : 'any')

/** A body to begin with: what must be given, empty. */
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

const named: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (letter) => named[letter]!)
