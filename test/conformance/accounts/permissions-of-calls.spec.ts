import { mergeTests } from '@playwright/test'
import { type Call, calls } from '../../support/page/calls.ts'
import { type Caller, test as crowded, everyone, has, type Who } from '../../support/page/crowd.ts'
import { expect } from '../../support/page/kit.ts'
import type { Access } from '../../support/page/screens.ts'
import { test as statements } from '../statements.ts'

const test = mergeTests(statements, crowded)

function whom(access: Access): string {
  if (typeof access === 'string') return access === 'everybody' ? 'everybody' : 'whoever is signed in'
  return `${access[0]} ${access[1]} and more`
}

/** The status this caller gets, with `error` when the answer says why, which a badge shows; one that does not end is left. */
async function answerTo({ call }: Caller, { method, path, query = '', body }: Call) {
  const answer = await call(method, path.replace('{tag}', 'permissions') + query, body)
  const isBadge = answer.headers.get('content-type')?.startsWith('image/svg+xml') === true
  if (answer.ok || isBadge) await answer.body?.cancel()
  if (isBadge && !answer.ok) return `${answer.status} with error`
  const why = answer.ok ? {} : ((await answer.json()) as { error?: unknown })
  return typeof why.error === 'string' ? `${answer.status} with error` : answer.status
}

const due = (who: Who, { access, answers }: Call) => {
  const refusal = who === 'signed out' ? 401 : 403
  const status = has(who, access) ? answers : refusal
  return status < 400 ? status : `${status} with error`
}

test('Who may make which call', async ({ callers, house, holds }) => {
  for (const one of calls) {
    const others = one.access === 'everybody' ? '' : ', and answers 401 to a visitor'
    const refused = Array.isArray(one.access) ? ', 403 to everybody else' : ''
    await holds(`${one.method} ${one.path} is open to ${whom(one.access)}${others}${refused}.`, async () => {
      const wanted = everyone.map((who) => [who, due(who, one)])
      const got = await Promise.all(everyone.map(async (who) => [who, await answerTo(callers[who], one)]))
      expect(got).toEqual(wanted)
    })
  }
  await holds('There is no other call: these are all that the server describes.', async () => {
    const { paths } = (await (await fetch(`${house.url}/api/v1/openapi.json`)).json()) as Described
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const ours = described.filter((call) => call.includes(' /api/v1/'))
    expect(ours.sort()).toEqual(calls.map(({ method, path }) => `${method} ${path}`).sort())
  })
})

type Described = { paths: Record<string, object> }
