import { describe, expect, test } from 'vitest'
import { dialects } from '../../../test/support/database/databases.ts'
import { pageOf } from '../../../test/support/fakes/fake-github.ts'
import { base, ghmdScene } from '../../../test/support/scenes/ghmd-scene.ts'
import { days, hours, seconds } from '../../shared/time.ts'
import { githubUrls } from '../../shared/urls/reach.ts'
import { describeStatus, isGithubPage, isSamePage, pageKind, repositoryOf, requestedWait } from './page.ts'

describe.each(dialects)('on %s', async (dialect) => {
  const { github, box, ada, read, last, origin, path, firstRun } = await ghmdScene(dialect)

  describe('a page that cannot be read', () => {
    test.each([
      ['a 404', { status: 404 }, 'not public, or does not exist'],
      ['a sign-in page', { status: 302, headers: { location: '/login?return_to=x' } }, 'not public, or does not exist'],
      ['a 503', { status: 503 }, 'GitHub answered 503'],
      ['a broken connection', 'reset' as const, 'connect: reset'],
      [
        'a redirect elsewhere',
        { status: 302, headers: { location: 'http://127.0.0.1:9/' } },
        'redirects to 127.0.0.1:9, not to GitHub',
      ],
      ['a redirect to nowhere', { status: 302, headers: { location: 'http://[/' } }, 'a redirect without a valid URL'],
      ['more than 5 MB', { body: 'x'.repeat(5_000_001) }, 'the page is larger than 5 MB'],
    ])('because of %s is a FAIL with the reason, and the next run stays scheduled', async (_what, reply, note) => {
      const at = path()
      github.pages.on(at, reply)
      const { run, entry } = await firstRun(github.url + at)
      expect(run).toMatchObject({ success: false, status: 0, note })
      expect(entry.nextRunAt).toBe(box.now() + hours(12))
      expect(github.purges()).toEqual([])
    })

    test('because of a redirect loop is a FAIL after five redirects', async () => {
      const at = path()
      github.pages.on(at, { status: 302, headers: { location: at } })
      expect((await firstRun(github.url + at)).run).toMatchObject({ note: 'too many redirects' })
      expect(github.pages.visits).toHaveLength(6)
    })

    test('keeps the images of the last successful read', async () => {
      const [at, name] = [path(), origin('build')]
      const { id } = await firstRun(github.page(at, [github.image(name)]))
      const readAt = box.now()
      github.pages.on(at, { status: 404 })
      box.pass(hours(12))
      await box.work.runDue()
      expect((await read(id)).lastRun).toMatchObject({ success: false, status: 0 })
      expect(await last(id)).toMatchObject({ at: readAt, images: [{ origin: name }] })
    })

    test('is requested once more if GitHub sends a short Retry-After', async () => {
      const at = path()
      const url = github.page(at, [])
      github.pages.on(at, { status: 503, headers: { 'retry-after': '0' } }, { body: pageOf([], 'plain') })
      expect((await firstRun(url)).run).toMatchObject({ success: true })
      expect(github.pages.visits).toHaveLength(2)
    })
  })

  test('a renamed page is followed, and its new URL is offered', async () => {
    const [from, to] = [path(), path()]
    const image = github.image(origin('build'))
    const url = github.page(to, [image])
    github.pages.on(from, { status: 301, headers: { location: to } })
    const { run, id } = await firstRun(github.url + from)
    expect(run).toMatchObject({ success: true, status: 1, note: `moved to ${url}` })
    expect((await last(id)).movedTo).toBe(url)
    await ada.patch(base, { id, url })
    await box.work.runDue()
    expect((await last(id)).movedTo).toBeNull()
  })

  describe('when a repository’s front page yields no images', () => {
    test.each([
      ['shows no image', { body: pageOf([], 'plain') }],
      ['fails', { status: 500 }],
    ])('because it %s, its readme is requested', async (_why, reply) => {
      const at = path()
      const image = github.image(origin('build'))
      github.pages.on(at, reply)
      github.readme(at.slice(1), [image])
      expect((await firstRun(github.url + at)).run).toMatchObject({ success: true, status: 1 })
      expect(github.purges()).toEqual([image])
      expect(github.api.visits).toMatchObject([{ headers: { accept: 'application/vnd.github.html+json' } }])
      expect(github.api.visits[0]?.headers).not.toHaveProperty('authorization')
    })

    test('the readme of a renamed repository is found, and no redirect leads away from the API', async () => {
      const [at, leadsAway] = [path(), path()]
      github.page(at, [])
      github.page(leadsAway, [])
      github.readme('x/renamed', [github.image(origin('build'))])
      github.api.on(`/repos${at}/readme`, { status: 301, headers: { location: '/repos/x/renamed/readme' } })
      github.api.on(`/repos${leadsAway}/readme`, { status: 301, headers: { location: `${github.camo.origin}/stolen` } })
      expect((await firstRun(github.url + at)).run).toMatchObject({ status: 1 })
      expect((await firstRun(github.url + leadsAway)).run).toMatchObject({ success: true, status: 0 })
      expect(github.camo.visits.filter(({ path }) => path === '/stolen')).toEqual([])
    })

    test('no readme is requested for a file, a wiki, a profile or a hidden page', async () => {
      for (const at of [`${path()}/wiki`, `${path()}/blob/main/a.md`, '/somebody']) await firstRun(github.page(at, []))
      github.pages.on('/owner/hidden', { status: 404 })
      await firstRun(`${github.url}/owner/hidden`)
      expect(github.api.visits).toEqual([])
    })
  })
})

const url = (path: string) => new URL(path, 'https://github.com')

test.each([
  ['/owner', 'profile'],
  ['/owner/repository', 'repository'],
  ['/owner/repository/tree/main/docs', 'repository'],
  ['/owner/repository/blob/main/README.md', 'file'],
  ['/owner/repository/wiki/Home', 'wiki'],
  ['/owner/repository/issues/1', 'issue'],
  ['/owner/repository/pull/1', 'issue'],
  ['/owner/repository/discussions/1', 'discussion'],
  ['/owner/repository/releases/tag/v1', 'release'],
  ['/owner/repository/actions', 'page'],
  ['/owner/repository/constructor', 'page'],
  ['https://gist.github.com/owner/0123abcd', 'gist'],
  ['/gist/owner/0123abcd', 'gist'],
])('%s is a %s', (path, kind) => {
  expect(pageKind(url(path))).toBe(kind)
})

test('only the front page of a repository has a readme to request', () => {
  expect(repositoryOf(url('/owner/repository.git/'))).toEqual({ owner: 'owner', name: 'repository' })
  for (const path of ['/owner', '/owner/repository/tree/main', '/owner/repository/wiki', 'https://gist.github.com/a/b'])
    expect(repositoryOf(url(path))).toBeUndefined()
})

test('a GitHub page is on its host or its gists host, and is not the home page', () => {
  const accepted = ['https://github.com/owner', 'https://gist.github.com/owner/1', 'http://github.com/owner/r?a#b']
  const refused = [
    'https://github.com',
    'https://github.com/',
    'https://gist.github.com//',
    'https://raw.githubusercontent.com/owner/r/main/a.png',
    'https://github.com.evil.example/owner',
    'https://evil.example/github.com/owner',
    'https://gist.gist.github.com/owner',
    'https://github.com:8443/owner',
    'https://github.com./owner',
  ]
  expect(accepted.filter((one) => !isGithubPage(new URL(one), 'https://github.com'))).toEqual([])
  expect(refused.filter((one) => isGithubPage(new URL(one), 'https://github.com'))).toEqual([])
})

test('a self-hosted GitHub may have any host; an IP address has no gists host', () => {
  expect(githubUrls('http://git.example:8080')).toEqual(['http://git.example:8080', 'http://gist.git.example:8080'])
  expect(githubUrls('http://10.0.0.7')).toEqual(['http://10.0.0.7'])
  expect(isGithubPage(new URL('http://10.0.0.7/owner'), 'http://10.0.0.7')).toBe(true)
})

test('a different name is a move; letter case, a fragment and a trailing slash are not', () => {
  expect(isSamePage('https://github.com/Owner/R/', 'https://github.com/owner/r#readme')).toBe(true)
  expect(isSamePage('https://github.com/owner/new', 'https://github.com/owner/old')).toBe(false)
})

const now = Date.UTC(2026, 0, 5, 12)

test.each([
  [undefined, {}],
  ['', {}],
  ['soon', {}],
  ['-5', {}],
  ['1.5', {}],
  ['0', { retryIn: 0 }],
  ['10', { retryIn: seconds(10) }],
  [' 7 ', { retryIn: seconds(7) }],
  ['11', { wait: seconds(11) }],
  ['999999999', { wait: days(7) }],
  ['Mon, 05 Jan 2026 11:00:00 GMT', { retryIn: 0 }],
  ['Mon, 05 Jan 2026 12:00:05 GMT', { retryIn: seconds(5) }],
  ['Mon, 05 Jan 2026 12:02:00 GMT', { wait: seconds(120) }],
])('parses Retry-After: %s as %o', (value, expected) => {
  expect(requestedWait(value, now)).toEqual(expected)
})

test('a note states the requested wait if it is too long for a run', () => {
  expect(describeStatus(429, { wait: 119_001 })).toBe('answered 429, asks to wait 120 s')
  expect(describeStatus(503, { retryIn: 1_000 })).toBe('answered 503')
})
