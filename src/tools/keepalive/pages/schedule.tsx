import { NextRun } from '../../../entries/pages/history/next-run.tsx'
import type { Whole } from '../../../entries/pages/tool-pages.ts'
import { minutes } from '../../../shared/time.ts'
import { useDefaultInterval } from '../../../ui/data/server-config.ts'
import { keepalive } from '../contract.ts'
import { keepaliveTool } from '../tool.ts'

/** When this entry is pinged next, and a button for now. */
export function Schedule({ entry }: { entry: Whole & { interval: number | null } }) {
  const usual = useDefaultInterval(keepaliveTool.id)
  const interval = entry.interval === null ? usual : minutes(entry.interval)
  return <NextRun tool={keepalive} entry={entry} interval={interval} />
}
