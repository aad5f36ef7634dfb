import { createToken, maskAddress } from '../../entries/address.ts'
import { searchColumn } from '../../entries/list/list.ts'
import { entryToolServer } from '../../entries/tool-server.ts'
import type { Config } from '../../platform/config/config.ts'
import { invalid } from '../../shared/http-error.ts'
import { githubUrls } from '../../shared/urls/github-urls.ts'
import { type GhmdinvalidatorConfig, ghmdinvalidatorVariables } from './config.ts'
import { ghmdinvalidator } from './contract.ts'
import { hookUrlOf } from './hook.ts'
import { migrations } from './migrations.ts'
import { isGithubPage } from './page.ts'
import { comparedImages } from './purge/last-images.ts'
import { forgetPage } from './purge/store.ts'
import { routes } from './routes.ts'
import { run } from './run.ts'

const defaultInterval = (config: GhmdinvalidatorConfig) => config.ghmdinvalidatorEvery

export const server = entryToolServer<typeof ghmdinvalidator, GhmdinvalidatorConfig>({
  contract: ghmdinvalidator,
  variables: ghmdinvalidatorVariables,
  migrations,

  async validate({ url }, { config, visitLimits }, before, user) {
    requireGithubPage(url, config)
    if (url !== before?.url) visitLimits.takeUrl(user.id)
  },
  about: ({ url }) => new URL(url).pathname.split('/').slice(1, 3).join('/').replace(/\/$/, ''),
  createToken,
  secrets: {
    complete: (settings) => settings,
    seal: (settings) => settings,
    // Entries from before there was a choice have none.
    open: (stored) => ghmdinvalidator.Settings.parse({ mode: 'always', ...Object(stored) }),
    mask: () => ({}),
  },
  masks: { hookUrl: maskAddress },
  async afterSave(id, { url }, before, tx) {
    if (before && url !== before.url) await forgetPage(tx, id)
  },
  show: (stored, context) => ({ hookUrl: hookUrlOf(stored, context) }),
  loadDetail: async (id, { db, config }) => ({ images: await comparedImages(db, id, config) }),
  routes: (app, context) => routes(app, context, (url) => requireGithubPage(url, context.config)),

  imports: {
    field: 'url',
    identity: (url) => URL.parse(url)?.href ?? url,
    columns: ['mode'],
    fromRow: (cells) => cells,
  },
  listColumns: () => ({ url: searchColumn }),

  schedule: {
    defaultInterval,
    every: (_settings, config) => defaultInterval(config),
    subject: ({ url }) => url,
    target: ({ url }) => new URL(url).host,
    // A run makes its own second attempts.
    retries: () => false,
    perform: run,
  },
})

function requireGithubPage(url: string, { githubUrl }: Config): void {
  if (isGithubPage(new URL(url), githubUrl)) return
  const hosts = githubUrls(githubUrl).map((own) => new URL(own).host)
  throw invalid('url', `Enter a ${hosts.join(' or ')} page, such as ${githubUrl}/owner/repository.`)
}
