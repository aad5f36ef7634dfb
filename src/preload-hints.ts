import { ownTitles } from './entries/define-tool.ts'
import type { PreloadHints } from './platform/http/page/static.ts'
import { pages } from './shared/pages.ts'
import { tools } from './tools/index.ts'

const config = '/api/v1/config'
const session = '/api/v1/auth/session'
const signedIn = 'src/signed-in.tsx'

/** The files and calls that the screen at this path requests as soon as the app runs, for the browser to preload. */
export function preloadHintsOf(path: string, query = new URLSearchParams()): PreloadHints {
  const hints = hintsOf(path, query)
  return { ...hints, calls: [session, ...hints.calls] }
}

function hintsOf(path: string, query: URLSearchParams): PreloadHints {
  const [, id, screen = 'about'] = /^\/tools\/(\w+)(?:\/(\w+))?$/.exec(path) ?? []
  const tool = tools.find((one) => one.id === id)
  if (tool?.kind === 'page' && screen !== 'about') return { sources: [signedIn], calls: [] }
  if (tool?.kind === 'page') return { sources: [`src/tools/${tool.id}/pages/page.tsx`], calls: [config] }
  if (tool) {
    const isOwn = Object.hasOwn(ownTitles(tool), screen)
    const sources = isOwn
      ? [`src/tools/${tool.id}/pages/${screen}.tsx`]
      : [`src/entries/pages/${screen}.tsx`, `src/tools/${tool.id}/pages/screens.tsx`]
    const calls = entryCalls(tool.path, screen, query)
    return { sources: [...sources, signedIn], calls: [config], guarded: { access: ['Tools', 1], calls } }
  }
  if (/^\/auth\/signin(?:\/|$)/.test(path))
    return { sources: ['src/sign-in/pages/signin.tsx'], calls: ['/api/v1/auth/providers', config] }
  if (path === pages.error.path)
    return {
      sources: ['src/admission/pages/access/error.tsx', 'src/sign-in/pages/signin.tsx'],
      calls: ['/api/v1/auth/providers', config],
    }
  return { sources: path === pages.profile.path ? ['src/profile/pages/profile.tsx', signedIn] : [], calls: [] }
}

/** Must equal the screen's own requests exactly; otherwise the browser doesn't use the preloaded responses. */
function entryCalls(tool: string, screen: string, query: URLSearchParams): string[] {
  const id = query.get('id') ?? ''
  if (screen === 'viewlist') return [`${tool}/list?page=1&size=200`]
  return screen === 'modify' && isId.test(id) ? [`${tool}?id=${id}`, `/api/v1/incidents?id=${id}`] : []
}
const isId = /^[0-9a-f-]{36}$/
