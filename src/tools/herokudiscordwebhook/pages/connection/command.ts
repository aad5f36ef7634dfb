import type { Filter } from '../relay.ts'

const plain = /^[\w@%+=:,./-]+$/

/** A word of a command line that a shell leaves as it is. */
const quoted = (word: string) => (plain.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)

/** What Heroku is asked to send, as the filter lets it through. */
function included(filter: Filter): string {
  const deploys = ['api:release', 'api:build']
  if ('preset' in filter) return (filter.preset === 'deploys' ? deploys : [...deploys, 'dyno']).join()
  return (filter.resources.length > 0 ? filter.resources : [...deploys, 'dyno']).join()
}

/** Names of apps hold only these; anything else pasted into the field is left out. */
export const appNameOf = (text: string): string => text.toLowerCase().replace(/[^a-z0-9-]/g, '')

type Reached = { herokuEndpoint: string; filter: Filter; secret?: string | null | undefined }

/** The command that makes Heroku deliver here; APP stands for an app that is not named yet. */
export function addCommand({ herokuEndpoint, filter, secret }: Reached, app: string): string {
  const start = `heroku webhooks:add -a ${app || 'APP'} -i ${quoted(included(filter))} -l sync`
  return [start, ...signing(secret), `-u ${quoted(herokuEndpoint)}`].join(' ')
}

function signing(secret: string | null | undefined): string[] {
  if (!secret) return []
  // What starts with a hyphen would be taken for another option.
  return [secret.startsWith('-') ? `--secret=${quoted(secret)}` : `-s ${quoted(secret)}`]
}
