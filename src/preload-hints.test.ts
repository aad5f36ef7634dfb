import { expect, test } from 'vitest'
import { ownTitles } from './entries/define-tool.ts'
import { preloadHintsOf } from './preload-hints.ts'
import { tools } from './tools/index.ts'

const id = 'f5696fe8-8312-4bf7-a5ad-50db9020ac31'
const signedIn = 'src/signed-in.tsx'
const callsOf = (path: string, query = '') => preloadHintsOf(path, new URLSearchParams(query)).guarded?.calls

test('the screen of an entry preloads it and its incidents if the address contains an id', () => {
  expect(callsOf('/tools/ghmdinvalidator/modify', `id=${id}`)).toEqual([
    `/api/v1/ghmdinvalidator?id=${id}`,
    `/api/v1/incidents?id=${id}`,
  ])
  for (const query of ['', 'id=', 'id=1%3E%2C%3C/x', `id=${id}0`, `other=${id}`])
    expect(callsOf('/tools/ghmdinvalidator/modify', query)).toEqual([])
  expect(callsOf('/tools/keepalive/create', `id=${id}`)).toEqual([])
})

test('a screen preloads its own files and its first calls', () => {
  const [session, config] = ['/api/v1/auth/session', '/api/v1/config']
  const access = ['Tools', 1]
  expect(preloadHintsOf('/tools/keepalive/viewlist')).toEqual({
    sources: ['src/entries/pages/viewlist.tsx', 'src/tools/keepalive/pages/screens.tsx', signedIn],
    calls: [session, config],
    guarded: { access, calls: ['/api/v1/keepalive/list?page=1&size=200'] },
  })
  expect(preloadHintsOf('/tools/analyticsbadge')).toEqual({
    sources: ['src/tools/analyticsbadge/pages/page.tsx'],
    calls: [session, config],
  })
  expect(preloadHintsOf('/tools/analyticsbadge/list')).toEqual({ sources: [signedIn], calls: [session] })
  for (const path of ['/auth/signin', '/auth/signin/password'])
    expect(preloadHintsOf(path)).toEqual({
      sources: ['src/sign-in/pages/signin.tsx'],
      calls: [session, '/api/v1/auth/providers', config],
    })
  expect(preloadHintsOf('/user').sources).toEqual(['src/profile/pages/profile.tsx', signedIn])
  for (const path of ['/', '/user/inbox', '/auth/signins', '/tools/nothing/viewlist'])
    expect(preloadHintsOf(path)).toEqual({ sources: [], calls: [session] })
})

test('a screen that only one tool has preloads that tool’s file', () => {
  const own = tools.flatMap((tool) =>
    tool.kind === 'page' ? [] : Object.keys(ownTitles(tool)).map((screen) => [tool.id, screen] as const),
  )
  expect(own.length).toBeGreaterThan(0)
  for (const [tool, screen] of own)
    expect(preloadHintsOf(`/tools/${tool}/${screen}`).sources).toEqual([
      `src/tools/${tool}/pages/${screen}.tsx`,
      signedIn,
    ])
})
