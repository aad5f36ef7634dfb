import type { OpenAPIV3_1 } from 'openapi-types'
import { keyPart } from './key.ts'

type Operation = { path: string; method: string } & OpenAPIV3_1.OperationObject

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const

/** A page to read what the API offers and to try it: plain HTML, which works before its script arrives. */
export function docsPage(api: OpenAPIV3_1.Document, baseUrl: string): string {
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
