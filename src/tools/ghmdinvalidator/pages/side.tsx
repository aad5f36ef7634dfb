import { NextRun } from '../../../entries/pages/history/next-run.tsx'
import type { Whole } from '../../../entries/pages/tool-pages.ts'
import { useDefaultInterval } from '../../../ui/data/server-config.ts'
import { ghmdinvalidator } from '../contract.ts'
import { LastImages } from './last-images.tsx'

export function Side({ entry }: { entry: Whole }) {
  const interval = useDefaultInterval(ghmdinvalidator.id)
  return (
    <>
      <NextRun tool={ghmdinvalidator} entry={entry} interval={interval} />
      <LastImages id={entry.id} lastRunAt={entry.lastRun?.timestamp} />
    </>
  )
}
