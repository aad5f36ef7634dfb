import { useQueries } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { titleOf } from '../../../shared/title.ts'
import { Ago } from '../../../ui/components/moment.tsx'
import { RunPill } from '../../../ui/components/pill.tsx'
import { useRefreshEvery } from '../../../ui/data/live.ts'
import { recentQuery } from '../calls.ts'
import { modifyPath } from '../head.tsx'
import type { PageNames } from '../tool-pages.ts'
import css from './recent-runs.module.css'

const lines = 6

/** The most recent runs of all tools, one for each entry. */
export function RecentRuns({ tools }: { tools: readonly PageNames[] }) {
  const refetchInterval = useRefreshEvery()
  const lists = useQueries({
    queries: tools.map((tool) => ({ ...recentQuery(tool), refetchInterval })),
  })
  const runs = lists
    .flatMap(({ data = [] }, index) => {
      const tool = tools[index]
      return data.flatMap((item) => (tool && item.lastRun ? [{ tool, item, run: item.lastRun }] : []))
    })
    .sort((a, b) => b.run.timestamp - a.run.timestamp)
    .slice(0, lines)
  if (runs.length === 0) return null
  return (
    <section className={css.runs} aria-label="Recent runs">
      <h2>Recent runs</h2>
      <ol>
        {runs.map(({ tool, item, run }) => (
          <li key={item.id}>
            <RunPill success={run.success} />
            <b>{tool.label}</b>
            <Link to={modifyPath(tool)} search={{ id: item.id }}>
              {titleOf(item)}
            </Link>
            <Ago at={run.timestamp} />
          </li>
        ))}
      </ol>
    </section>
  )
}
