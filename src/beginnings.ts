import { ownTitles } from './entries/define-tool.ts'
import type { Beginning } from './platform/http/page/preload.ts'
import { tools } from './tools/index.ts'

const config = '/api/v1/config'
const signedIn = 'src/signed-in.tsx'

/** What the screen at this path asks for as soon as the program runs, so that the browser may ask before. */
export function beginningOf(path: string): Beginning {
  const [, id, screen = 'about'] = /^\/tools\/(\w+)(?:\/(\w+))?$/.exec(path) ?? []
  const tool = tools.find((one) => one.id === id)
  if (tool?.kind === 'page' && screen !== 'about') return { sources: [signedIn], calls: [] }
  if (tool?.kind === 'page') return { sources: [`src/tools/${tool.id}/pages/page.tsx`], calls: [config] }
  if (tool) {
    const isOwn = Object.hasOwn(ownTitles(tool), screen)
    const sources = isOwn
      ? [`src/tools/${tool.id}/pages/${screen}.tsx`]
      : [`src/entries/pages/${screen}.tsx`, `src/tools/${tool.id}/pages/screens.tsx`]
    return { sources: [...sources, signedIn], calls: [config] }
  }
  if (/^\/auth\/signin(?:\/|$)/.test(path))
    return { sources: ['src/accounts/pages/sign-in/signin.tsx'], calls: ['/api/v1/auth/providers'] }
  return { sources: path === '/user' ? ['src/accounts/pages/own/profile.tsx', signedIn] : [], calls: [] }
}
