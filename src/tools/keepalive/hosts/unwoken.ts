import { hostOf } from './terms/known-hosts.ts'

/** Why an answer with this status is a failure although it may look fine: it leaves the app asleep. */
export function unwoken(urls: readonly string[], status: number): string | undefined {
  for (const url of urls) {
    const without = hostOf(url)?.wakesNotWith
    if (without === 'any' && status < 400) return `answered ${status} but does not wake the app`
    if (without !== 'any' && without?.includes(status)) return `answered ${status}`
  }
  return undefined
}
