import { entryToolNames } from '../../entries/define-tool.ts'

export const herokudiscordwebhookNames = entryToolNames({
  id: 'herokudiscordwebhook',
  label: 'Heroku Discord Webhook',
  noun: 'webhook relay entry',
  works: 'Delivering',
  today: 'Relayed today',
  letter: 'w',
})
