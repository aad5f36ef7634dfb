import { Link } from '@tanstack/react-router'
import { titleOf } from '../../../shared/title.ts'
import { Ago } from '../../../ui/components/moment.tsx'
import { Card } from '../../../ui/components/page.tsx'
import { RunPill } from '../../../ui/components/pill.tsx'
import { AwakeWord } from '../../../ui/components/status.tsx'
import type { Answer } from '../../../ui/data/call.ts'
import { formatDuration } from '../../../ui/format-time.ts'
import type { Run } from '../../contract.ts'
import { modifyPath } from '../head.tsx'
import type { PageNames } from '../tool-pages.ts'
import css from './at-home.module.css'

type ToolRuns = { tool: PageNames; runs: Answer<'GET /api/v1/:tool/recent'> | undefined }

const lines = 7

/** The most recent runs of all tools, one for each entry. */
export function RecentRuns({ tools }: { tools: readonly ToolRuns[] }) {
  const runs = tools
    .flatMap(({ tool, runs: recent }) =>
      (recent?.rows ?? []).flatMap((item) => (item.lastRun ? [{ tool, item, run: item.lastRun }] : [])),
    )
    .sort((a, b) => b.run.timestamp - a.run.timestamp)
    .slice(0, lines)
  return (
    <Card className={css.recent} aria-label="Recent runs">
      <h2>Recent runs</h2>
      {runs.length === 0 && <p>No runs yet.</p>}
      <ol>
        {runs.map(({ tool, item, run }) => (
          <li key={item.id}>
            <RunPill success={run.success} />
            <Link to={modifyPath(tool)} search={{ id: item.id }} dir="auto">
              {titleOf(item)}
            </Link>
            <span className={css.note}>
              {tool.label}
              <AwakeWord awake={item.awake} text={run.note} />
              {noteOf(run)}
            </span>
            <Ago at={run.timestamp} />
          </li>
        ))}
      </ol>
    </Card>
  )
}

function noteOf({ success, note, duration }: Run): string {
  const detail = note ?? (success && duration !== undefined && formatDuration(duration))
  return detail ? ` · ${detail}` : ''
}
