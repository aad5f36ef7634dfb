import type { ToolPages } from '../entries/pages/tool-pages.ts'
import { analyticsbadgePages } from './analyticsbadge/pages/card.ts'
import { ghmdinvalidatorPages } from './ghmdinvalidator/pages/card.ts'
import { herokudiscordwebhookPages } from './herokudiscordwebhook/pages/card.ts'
import type { Contracts } from './index.ts'
import { keepalivePages } from './keepalive/pages/card.ts'

/** The screens' half of every tool; the compiler names what is missing. */
export const toolPages = {
  analyticsbadge: analyticsbadgePages,
  keepalive: keepalivePages,
  herokudiscordwebhook: herokudiscordwebhookPages,
  ghmdinvalidator: ghmdinvalidatorPages,
} satisfies { [Id in keyof Contracts]: ToolPages<Contracts[Id]> }
