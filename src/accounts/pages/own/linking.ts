import { useEffect } from 'react'
import { succeed } from '../../../ui/toasts.ts'
import type { ProviderLink } from '../profile/provider-link.ts'

const key = 'toolbox.linking'
// The page one leaves may still hear of the new link before it is gone; the word is for the page one comes back to.
const thisPage = performance.timeOrigin
const of = (links: readonly ProviderLink[], id: string) => links.filter((link) => link.providerId === id).length

/** Remembers, for this tab, that one left to link an account of this provider. */
export const rememberLinking = (links: readonly ProviderLink[], provider: { id: string; name: string }) =>
  sessionStorage.setItem(key, `${thisPage} ${of(links, provider.id)} ${provider.id} ${provider.name}`)

/** Says once that an account was linked, when one left for that and there is one more now. */
export function useLinkedWord(links: readonly ProviderLink[]) {
  useEffect(() => {
    const [, left, before, id = '', name] = /^(\S+) (\d+) (\S+) (.+)$/.exec(sessionStorage.getItem(key) ?? '') ?? []
    if (Number(left) === thisPage) return
    sessionStorage.removeItem(key)
    if (name && of(links, id) > Number(before)) succeed(`Linked ${name}. You can now sign in with it.`)
  }, [links])
}
