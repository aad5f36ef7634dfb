import * as z from 'zod/mini'
import { maybe } from '../../inbound/event/event.ts'
import { wordsOf } from './words.ts'

const hash = /^[0-9a-f]{7,64}$/
const archive =
  /^https:\/\/codeload\.github\.com\/([\w.-]{1,100}\/[\w.-]{1,100})\/legacy\.tar\.gz\/[0-9a-f]{40}(?:\?|$)/

/** A commit as Heroku names it: short and in code when it is a hash, else in its words. */
const shown = (commit: string) => (hash.test(commit) ? `\`${commit.slice(0, 7)}\`` : wordsOf(commit) || undefined)
export const Commit = maybe(z.pipe(z.string(), z.transform(shown)))

/** The repository on GitHub that a build was fetched from. */
export const Repository = maybe(
  z.pipe(
    z.string(),
    z.transform((url: string) => archive.exec(url)?.[1]),
  ),
)

/** The commit, linked to its page when GitHub has one. */
export function linked(commit: string | undefined, version: string | undefined, repository: string | undefined) {
  if (!commit?.startsWith('`') || !repository || !version || !hash.test(version)) return commit
  return `[${commit}](https://github.com/${repository}/commit/${version})`
}
