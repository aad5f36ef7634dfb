import type { Filter } from '../relay.ts'

const plain = /^[\w@%+=:,./-]+$/

/** A word of a command, quoted if a shell would change it. */
const quoted = (word: string) => (plain.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)

/** What Heroku is asked to send: what the filter allows. */
function included(filter: Filter): string {
  const deploys = ['api:release', 'api:build']
  if ('preset' in filter) return (filter.preset === 'deploys' ? deploys : [...deploys, 'dyno']).join()
  return (filter.resources.length > 0 ? filter.resources : [...deploys, 'dyno']).join()
}

/** Removes what the name of an app can't have. */
export const appNameOf = (text: string): string => text.toLowerCase().replace(/[^a-z0-9-]/g, '')

type Reached = { herokuEndpoint: string; filter: Filter; secret?: string | null | undefined }

/** The command that makes Heroku deliver here; APP stands for the app until it is named. */
export function addCommand({ herokuEndpoint, filter, secret }: Reached, app: string): string {
  const start = `heroku webhooks:add -a ${app || 'APP'} -i ${quoted(included(filter))} -l sync`
  return [start, ...signing(secret), `-u ${quoted(herokuEndpoint)}`].join(' ')
}

function signing(secret: string | null | undefined): string[] {
  if (!secret) return []
  // A secret that starts with a hyphen would be taken for another option.
  return [secret.startsWith('-') ? `--secret=${quoted(secret)}` : `-s ${quoted(secret)}`]
}
