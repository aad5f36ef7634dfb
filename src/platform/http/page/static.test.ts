import { createHash } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { callerWith, testServer } from '../../../../test/support/scenes/test-server.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import type { Caller } from '../app.ts'
import { serveApp } from './static.ts'

const inline = "document.title = 'x'"
const html = `<!doctype html><script>${inline}</script><script type="module" src="/assets/app-1.js"></script><p>the shell`
const manifest = {
  'index.html': { file: 'assets/app-1.js', css: ['assets/app-1.css'] },
  'src/user.tsx': { file: 'assets/user-1.js', css: ['assets/user-1.css'], imports: ['index.html', '_field.js'] },
  '_field.js': { file: 'assets/field-1.js', imports: ['index.html', '_field.js'] },
}
const preloadHintsOf = (path: string) =>
  path === '/user' ? { sources: ['src/user.tsx', 'src/unknown.tsx'], calls: ['/api/mine'] } : { sources: [], calls: [] }
const code = 'console.log(1)\n'.repeat(200)

function builtPage() {
  const folder = join(temporaryFolder(), 'dist')
  mkdirSync(join(folder, 'assets'), { recursive: true })
  writeFileSync(join(folder, 'index.html'), html)
  mkdirSync(join(folder, '.vite'))
  writeFileSync(join(folder, '.vite', 'manifest.json'), JSON.stringify(manifest))
  const script = join(folder, 'assets', 'app-1.js')
  writeFileSync(script, code)
  writeFileSync(`${script}.br`, brotliCompressSync(code))
  writeFileSync(`${script}.gz`, gzipSync(code))
  writeFileSync(join(folder, 'robots.txt'), 'User-agent: *')
  return folder
}

async function served(folder = builtPage()) {
  const { app } = await testServer()
  await serveApp(app, { folder, isPage: (path) => path === '/' || path === '/user', preloadHintsOf })
  return app
}

test('answers pages with the shell, and unknown ones with the shell and a 404', async () => {
  const app = await served()
  for (const [url, status] of [
    ['/', 200],
    ['/user?id=1', 200],
    ['/nothing/here', 404],
    ['/user/', 404],
  ] as const) {
    const answer = await app.inject({ url, headers: { 'if-none-match': '"seen"' } })
    expect([url, answer.statusCode, answer.body]).toEqual([url, status, html])
    expect(answer.headers['cache-control']).toBe('no-cache')
    expect(answer.headers['content-type']).toContain('text/html')
  }
})

test('sends preload hints for the files and calls that a screen starts with', async () => {
  const app = await served()
  const fetched = (path: string) => `<${path}>; rel=preload; as=fetch; crossorigin`
  const paths = ['/api/mine', '/assets/user-1.js', '/assets/user-1.css', '/assets/field-1.js']
  expect((await app.inject('/user?id=1')).headers.link).toBe(paths.map(fetched).join(', '))
  expect((await app.inject('/')).headers).not.toHaveProperty('link')
  const browser = (name: string) => ({
    'user-agent': `Mozilla/5.0 (X11) AppleWebKit/605.1.15 (KHTML, like Gecko) ${name}`,
  })
  const linkFor = async (name: string) => (await app.inject({ url: '/user', headers: browser(name) })).headers.link
  for (const chromium of ['Chrome/153.0', 'HeadlessChrome/153.0'])
    expect(await linkFor(`${chromium} Safari/537.36`)).toBe(paths.map(fetched).join(', '))
  expect(await linkFor('Version/26.0 Safari/605.1.15')).toBe(paths.slice(1).map(fetched).join(', '))
})

test('sends preload hints for calls that need a role only to users who have it', async () => {
  const callers: Record<string, () => Promise<Caller | undefined>> = {
    member: async () => callerWith({ Tools: 1 }),
    stranger: async () => callerWith({}),
    'without the second factor they need': async () => callerWith({ Tools: 1 }, { mustSetUp: true }),
    nobody: async () => undefined,
    'while the database fails': () => Promise.reject(new Error('The database is away.')),
    'while the database is silent': () => new Promise(() => {}),
  }
  const { app } = await testServer({ identify: async ({ headers }) => callers[String(headers.from)]?.() })
  const guarded = { access: ['Tools', 1], calls: ['/api/list'] } as const
  await serveApp(app, {
    folder: builtPage(),
    isPage: () => true,
    preloadHintsOf: (_path, query) => ({ sources: [], calls: [`/api/${query.get('id')}`], guarded }),
  })
  const links = Object.keys(callers).map(async (from) => {
    const { statusCode, headers } = await app.inject({ url: '/user?id=7', headers: { from } })
    return [statusCode, from, [...String(headers.link).matchAll(/<([^>]+)>/g)].map(([, path]) => path)]
  })
  expect(await Promise.all(links)).toEqual(
    Object.keys(callers).map((from) => [200, from, from === 'member' ? ['/api/7', '/api/list'] : ['/api/7']]),
  )
})

test('answers unknown URLs under server prefixes with a 404 in JSON', async () => {
  const app = await served()
  for (const url of ['/api/nothing', '/api/v1/nothing', '/hooks/x']) {
    const answer = await app.inject(url)
    expect([answer.statusCode, answer.json()]).toEqual([404, { error: 'Not found.' }])
  }
  expect((await app.inject({ method: 'POST', url: '/user' })).json()).toEqual({ error: 'Not found.' })
  const outdated = await app.inject('/assets/old-2.js')
  expect([outdated.statusCode, outdated.json()]).toEqual([404, { error: 'ToolBox was updated. Reload this page.' }])
})

test('allows the inline scripts of the page by their hash, and no others', async () => {
  const policy = (await (await served()).inject('/')).headers['content-security-policy']
  expect(policy).toContain(`script-src 'self' 'sha256-${createHash('sha256').update(inline).digest('base64')}';`)
  expect(policy).toContain("default-src 'none'")
  expect(policy).not.toContain('unsafe')
})

test.each([
  ['br', brotliDecompressSync],
  ['gzip', gunzipSync],
])('serves assets, for permanent caching, and the shell compressed with %s', async (encoding, open) => {
  const app = await served()
  const answer = await app.inject({ url: '/assets/app-1.js', headers: { 'accept-encoding': encoding } })
  expect(answer.headers).toMatchObject({
    'content-encoding': encoding,
    'cache-control': 'public, max-age=31536000, immutable',
    'content-type': expect.stringContaining('javascript'),
    'x-content-type-options': 'nosniff',
    vary: expect.stringMatching(/accept-encoding/i),
  })
  expect(String(open(answer.rawPayload))).toBe(code)
  const page = await app.inject({ url: '/', headers: { 'accept-encoding': encoding } })
  expect(page.headers).toMatchObject({ 'content-encoding': encoding, vary: 'Accept-Encoding' })
  expect(String(open(page.rawPayload))).toBe(html)
})

test('serves files without a hash in their name with no-cache', async () => {
  const answer = await (await served()).inject('/robots.txt')
  expect([answer.body, answer.headers['cache-control']]).toEqual(['User-agent: *', 'no-cache'])
})

test.each(['/../secret', '/%2e%2e/secret', '/assets/..%2f..%2fsecret', '/assets/%2e%2e/%2e%2e/secret'])(
  'serves no file outside its folder for %s',
  async (url) => {
    const folder = builtPage()
    writeFileSync(join(folder, '..', 'secret'), 'outside')
    expect((await (await served(folder)).inject(url)).body).not.toContain('outside')
  },
)

test('serves the files of a build made while the server runs', async () => {
  const folder = builtPage()
  const app = await served(folder)
  rmSync(join(folder, 'assets'), { recursive: true })
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'assets', 'app-2.js'), 'rebuilt()')
  writeFileSync(join(folder, 'index.html'), '<script>rebuilt</script>')
  expect((await app.inject('/assets/app-2.js')).body).toBe('rebuilt()')
  expect((await app.inject('/assets/app-1.js')).statusCode).toBe(404)
  const { body, headers } = await app.inject('/')
  expect(body).toBe('<script>rebuilt</script>')
  expect(headers['content-security-policy']).toContain(createHash('sha256').update('rebuilt').digest('base64'))
})

test('serves the previous page while a build is in progress', async () => {
  const folder = builtPage()
  const app = await served(folder)
  const servedPage = async () => {
    const { statusCode, body, headers } = await app.inject('/user')
    expect(statusCode).toBe(200)
    expect(headers['content-security-policy']).toContain("script-src 'self'")
    return body
  }
  rmSync(folder, { recursive: true })
  expect(await servedPage()).toBe(html)
  mkdirSync(folder)
  writeFileSync(join(folder, 'index.html'), '')
  expect(await servedPage()).toBe(html)
  writeFileSync(join(folder, 'index.html'), '<p>rebuilt')
  expect(await servedPage()).toBe('<p>rebuilt')
})

test('explains what to do when the page is not built', async () => {
  await expect(served(temporaryFolder())).rejects.toThrow('run `npm start`')
})
