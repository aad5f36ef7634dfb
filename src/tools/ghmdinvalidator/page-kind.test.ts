import { expect, test } from 'vitest'
import { days, seconds } from '../../shared/time.ts'
import { githubUrls } from '../../shared/urls/reach.ts'
import { describeStatus, isGithubPage, isSamePage, pageKind, repositoryOf, requestedWait } from './page.ts'

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
