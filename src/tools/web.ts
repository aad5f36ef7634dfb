import type { ToolPages } from '../entries/pages/tool-pages.ts'
import type { Contracts } from './index.ts'
import { keepalivePages } from './keepalive/pages/card.ts'

/** The screens' half of every tool; the compiler names what is missing. */
export const toolPages = {
  keepalive: keepalivePages,
} satisfies { [Id in keyof Contracts]: ToolPages<Contracts[Id]> }
