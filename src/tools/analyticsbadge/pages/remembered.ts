import { useSyncExternalStore } from 'react'
import { store, stored } from '../../../ui/stored.ts'
import { demoTag } from '../terms.ts'

const key = 'toolbox.badges'
const most = 12
const listeners = new Set<() => void>()

/** Tags whose badges were copied in this browser, the last one first. */
const read = (): string => stored(key) ?? ''

/** Remembers a tag that somebody is about to use. */
export function rememberTag(tag: string) {
  if (tag === demoTag) return
  const tags = read()
    .split(',')
    .filter((one) => one !== '' && one !== tag)
  store(key, [tag, ...tags].slice(0, most).join(','))
  for (const listener of listeners) listener()
}

/** Tags that were used in this browser, and can still be read as such. */
export function useRememberedTags(): string[] {
  const text = useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, read)
  return text.split(',').filter((tag) => /^[A-Za-z0-9_]{1,64}$/.test(tag))
}
