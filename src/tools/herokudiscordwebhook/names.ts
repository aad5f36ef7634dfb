import { entryNames } from '../../entries/names.ts'

export const herokudiscordwebhookNames = entryNames({
  id: 'herokudiscordwebhook',
  label: 'Heroku Discord Webhook',
  noun: 'webhook relay entry',
})
