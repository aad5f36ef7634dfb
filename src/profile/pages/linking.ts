import { useEffect } from 'react'
import type { ProviderLink } from '../../people/pages/provider-link.ts'
import { succeed } from '../../ui/toasts.ts'

const key = 'toolbox.linking'
// The page that is being left may still receive the new link, but the message is for the page after the return.
const thisPage = performance.timeOrigin
const countOf = (links: readonly ProviderLink[], id: string) => links.filter((link) => link.providerId === id).length

/** Remembers in this tab that the user left to link an account of this provider. */
export const rememberLinking = (links: readonly ProviderLink[], provider: { id: string; name: string }) =>
  sessionStorage.setItem(key, `${thisPage} ${countOf(links, provider.id)} ${provider.id} ${provider.name}`)

/** Shows a toast if the user left to link an account and now has one more. */
export function useLinkedToast(links: readonly ProviderLink[]) {
  useEffect(() => {
    const [, left, before, id = '', name] = /^(\S+) (\d+) (\S+) (.+)$/.exec(sessionStorage.getItem(key) ?? '') ?? []
    if (Number(left) === thisPage) return
    sessionStorage.removeItem(key)
    if (name && countOf(links, id) > Number(before)) succeed(`Linked ${name}. You can now sign in with it.`)
  }, [links])
}
