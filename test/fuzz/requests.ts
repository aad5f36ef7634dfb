import fc from 'fast-check'
import type { Operation } from './operations.ts'
import { fitting, type Known, nasty, nastyText, nearly } from './values.ts'

/** A request as it is sent: `url` is encoded, `body` raw. */
export type FuzzRequest<Who extends string = string> = {
  operation: Operation
  who: Who
  url: string
  type: string | undefined
  body: Buffer | undefined
}
/** Calls that end the session. They are sent signed out, since later requests need the session. */
export const endsSession = ({ operation: { method, path } }: FuzzRequest): boolean =>
  path === '/api/auth/sign-out' || (method === 'DELETE' && path === '/api/v1/user')

type Sent = Pick<FuzzRequest, 'type' | 'body'>

/** Generates requests for these calls and callers: valid, nearly valid, and hostile. */
export const requestsOf = <Who extends string>(
  operations: readonly Operation[],
  callers: readonly Who[],
  knownValues: Known,
): fc.Arbitrary<FuzzRequest<Who>> =>
  fc.oneof(
    ...operations.map((operation) =>
      fc
        .tuple(
          fc.constantFrom(...callers),
          pathOf(operation, knownValues),
          queryOf(operation, knownValues),
          bodyOf(operation, knownValues),
        )
        .map(([who, path, query, sent]) => ({
          operation,
          who,
          url: query === '' ? path : `${path}?${query}`,
          ...sent,
        })),
    ),
  )

/** Encodes a text for a URL; lone surrogates become their three bytes, which encodeURIComponent refuses. */
const encoded = (text: string) => text.replaceAll(/[\s\S]/gu, encodedLetter)
const encodedLetter = (letter: string) => {
  const unit = letter.charCodeAt(0)
  if (letter.length === 1 && unit >= 0xd800 && unit <= 0xdfff)
    return `%${(0xe0 | (unit >> 12)).toString(16)}%${(0x80 | ((unit >> 6) & 63)).toString(16)}%${(0x80 | (unit & 63)).toString(16)}`
  return encodeURIComponent(letter)
}

/** Limits the length, since the HTTP parser itself rejects longer URLs. */
const inUrl = (text: string) =>
  encoded(text)
    .slice(0, 4_000)
    .replace(/%[\da-f]?$/i, '')

function pathOf({ path, parameters }: Operation, knownValues: Known): fc.Arbitrary<string> {
  const values = parameters
    .filter((one) => one.in === 'path')
    .map(({ name, schema }) =>
      fc
        .oneof({ weight: 3, arbitrary: fitting(schema, knownValues, name) }, nastyText)
        .map((value) => [name, inUrl(String(value))] as const),
    )
  const trailing = fc.constantFrom('', '', '', '/')
  return fc
    .tuple(fc.tuple(...values), trailing)
    .map(([pairs, end]) => pairs.reduce((url, [name, value]) => url.replace(`{${name}}`, () => value), path) + end)
}

function queryOf({ parameters }: Operation, knownValues: Known): fc.Arbitrary<string> {
  const own = parameters.filter((one) => one.in === 'query')
  if (own.length === 0) return fc.oneof({ weight: 8, arbitrary: fc.constant('') }, strangeQuery)
  const values = own.map(({ name, schema, required }) => {
    const value = fitting(schema, knownValues, name).map((generated) => [name, String(generated)] as const)
    return fc.oneof({ weight: required ? 20 : 1, arbitrary: value }, { weight: required ? 1 : 2, arbitrary: nothing })
  })
  // At most one wrong value at a time, so that requests also get past validation of the other values.
  const wrong = fc.oneof(
    { weight: 3, arbitrary: nothing },
    { weight: 2, arbitrary: fc.tuple(fc.constantFrom(...own), nastyText) },
  )
  const described = fc.tuple(fc.tuple(...values), wrong).map(([generated, other]) => {
    const pairs = generated.flatMap((pair) => (pair && pair[0] !== other?.[0].name ? [pair] : []))
    const all = other ? [...pairs, [other[0].name, other[1]] as const] : pairs
    return all
      .map(([name, value]) => `${encoded(name)}=${inUrl(value)}`)
      .join('&')
      .slice(0, 8_000)
  })
  return fc.oneof({ weight: 9, arbitrary: described }, strangeQuery)
}

const nothing = fc.constant(undefined)

const strangeQuery = fc.oneof(
  fc.constantFrom(
    '__proto__=1',
    'constructor[prototype][x]=1',
    'id[]=1',
    'id[__proto__]=1',
    '&&&',
    '=',
    'id',
    '%',
    'id=%ff',
    'a=1&a=2&a=3',
    'id=1&id=2',
    'page=1&page=2',
  ),
  fc.tuple(nastyText, nastyText).map(([name, value]) => `${inUrl(name)}=${inUrl(value)}`),
)

function bodyOf({ method, body }: Operation, knownValues: Known): fc.Arbitrary<Sent> {
  const none: Sent = { type: undefined, body: undefined }
  if (method === 'GET') return fc.constant(none)
  const asJson = (value: unknown): Sent => ({
    type: 'application/json',
    body: Buffer.from(JSON.stringify(value) ?? ''),
  })
  const schema = body ?? { type: 'object' }
  return fc.oneof(
    { weight: 9, arbitrary: fitting(schema, knownValues).map(asJson) },
    { weight: 6, arbitrary: nearly(schema, knownValues).map(asJson) },
    { weight: 2, arbitrary: nasty.map(asJson) },
    { weight: 2, arbitrary: fc.tuple(fitting(schema, knownValues), strangeBody).map(([value, make]) => make(value)) },
    { weight: 1, arbitrary: fc.constant(none) },
  )
}

/** Bodies whose content does not match their declared type. */
const strangeBody: fc.Arbitrary<(value: unknown) => Sent> = fc.oneof(
  fc
    .constantFrom(
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'application/xml',
      'nonsense',
      '',
    )
    .map((type) => (value: unknown) => ({ type, body: Buffer.from(JSON.stringify(value) ?? '') })),
  fc
    .constantFrom<(json: string) => string | Buffer>(
      (json) => json.slice(0, -1),
      (json) => `\ufeff${json}`,
      (json) => json.replace('{', '{"id":1,"id":null,"__proto__":{"admin":true},'),
      (json) => json.replace(/"(?=[^"]*$)/, '\\ud800"'),
      (json) => json.replaceAll(/\d+/g, '1e400'),
      (json) => Buffer.concat([Buffer.from(json.slice(0, -2)), Buffer.from([0xff, 0xfe, 0xc0])]),
      () => '['.repeat(50_000),
      () => `"${'x'.repeat(140_000)}"`,
      () => 'null',
      () => '{"a":1}{"b":2}',
      () => ' ',
    )
    .map((change) => (value: unknown) => ({
      type: 'application/json; charset=utf-8',
      body: Buffer.from(change(JSON.stringify(value) ?? '{}') as string),
    })),
)
