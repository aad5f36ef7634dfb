import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Copy, Ellipsis, Pencil, Plus } from 'lucide-react'
import { type ComponentProps, Suspense, useState } from 'react'
import { formatCount } from '../../shared/count.ts'
import { titleOf } from '../../shared/title.ts'
import { Button, buttonClass, IconButton, iconButtonClass } from '../../ui/components/button.tsx'
import { copy } from '../../ui/components/copy.ts'
import { PageHead } from '../../ui/components/page.tsx'
import { useRefetchInterval } from '../../ui/data/live.ts'
import { useIsPhone } from '../../ui/media.ts'
import { lazyPart } from '../../ui/navigation/lazy.ts'
import { useTitle } from '../../ui/navigation/title.ts'
import { CsvButton } from '../../ui/table/csv-button.tsx'
import { DataTable } from '../../ui/table/data-table.tsx'
import { type List, useList } from '../../ui/table/list-state.ts'
import { Chips } from '../../ui/table/search-box.tsx'
import { useSelection } from '../../ui/table/selection/selection.ts'
import { useRows } from '../../ui/table/use-rows.ts'
import type { Health } from '../contract.ts'
import type { AskedRow } from './bulk.tsx'
import { entryList, figuresQuery } from './calls.ts'
import { aboutPath, createPath, listPath, modifyPath } from './head.tsx'
import { healthLabels } from './health/status.tsx'
import type { EntryScreens, PageNames } from './tool-pages.ts'

const BulkBar = lazyPart(async () => (await import('./bulk.tsx')).BulkBar)
const RowMenu = lazyPart(async () => (await import('./bulk.tsx')).RowMenu)
const RowDialogs = lazyPart(async () => (await import('./bulk.tsx')).RowDialogs)

export function ViewlistPage({ screens }: { screens: EntryScreens }) {
  const { contract, hasRuns } = screens
  useTitle(`${contract.label} List`)
  const navigate = useNavigate()
  const list = useList(screens.columns)
  const source = useRows(entryList(contract.id), list)
  const selection = useSelection(list.state)
  const [asked, setAsked] = useState<AskedRow>()
  return (
    <>
      {/* In one line, to leave room for rows. */}
      <PageHead
        title={contract.label}
        {...(screens.listNote && { status: screens.listNote })}
        tabs={[
          { to: aboutPath(contract), label: 'About' },
          { to: listPath(contract), label: 'View list' },
          { to: modifyPath(contract), label: 'Modify' },
        ]}
        acts={
          <Link to={createPath(contract)} className={buttonClass({ tone: 'primary' })}>
            <Plus size={15} aria-hidden="true" />
            Create
          </Link>
        }
      />
      <DataTable
        name={contract.id}
        caption={`${contract.label} entries`}
        list={list}
        source={source}
        chips={<HealthChips tool={contract} list={list} />}
        noMatch={<HealthSuggestion tool={contract} list={list} />}
        selection={selection}
        selectionBar={
          <Suspense>
            <BulkBar tool={contract} hasRuns={hasRuns} selection={selection} source={source} />
          </Suspense>
        }
        tools={
          source.found > 0 && (
            <CsvButton
              name={contract.id}
              columns={list.columns.filter(({ filterOnly }) => !filterOnly)}
              rows={source.allRows}
            />
          )
        }
        onOpen={({ id }) => void navigate({ to: modifyPath(contract), search: { id } })}
        actions={(row) => <RowActions row={row} tool={contract} hasRuns={hasRuns} setAsked={setAsked} />}
        empty={
          <>
            <strong>Nothing here yet</strong>
            <span>{screens.example.text}</span>
            <div>
              <Link to={createPath(contract)} className={buttonClass({ tone: 'primary' })}>
                Create an entry
              </Link>
              <Link to={createPath(contract)} search={{ example: true }} className={buttonClass()}>
                Fill in an example
              </Link>
            </div>
          </>
        }
      />
      {asked && (
        <Suspense>
          <RowDialogs key={asked.row.id} {...asked} tool={contract} hasRuns={hasRuns} setAsked={setAsked} />
        </Suspense>
      )}
      {source.rows && screens.listFoot}
    </>
  )
}

/** States whose chip is shown even if there are no such entries. */
const alwaysShown: readonly Health[] = ['failing', 'paused', 'new']

function HealthChips<Row>({ tool, list }: { tool: PageNames; list: List<Row> }) {
  const refetchInterval = useRefetchInterval()
  const { data } = useQuery({ ...figuresQuery(tool), refetchInterval })
  const labels = healthLabels(tool)
  const healths = Object.keys(labels) as Health[]
  const chosen = healths.find((health) => health === list.state.filters.health)
  const visible = healths.filter(
    (health) => alwaysShown.includes(health) || health === chosen || (health === 'blocked' && data && data.blocked > 0),
  )
  return (
    <Chips
      label="Show entries"
      // Counts that arrive later would move the chips next to them.
      kinds={data ? Object.fromEntries(visible.map((health) => [health, labels[health]])) : {}}
      counts={data}
      bad={['failing', 'blocked']}
      chosen={chosen}
      onChoose={(health) => list.filter({ health: health ?? '' })}
    >
      {!list.state.sort && <small>Failing first, then newest</small>}
    </Chips>
  )
}

/** The status filter matches only active and inactive, so a user who types a health is offered those entries. */
function HealthSuggestion<Row>({ tool, list }: { tool: PageNames; list: List<Row> }) {
  const { data } = useQuery(figuresQuery(tool))
  const { status, health } = list.state.filters
  const typed = status?.trim().toLowerCase()
  const match = Object.entries(healthLabels(tool)).find(([, label]) => typed && label.toLowerCase().startsWith(typed))
  if (!data || !match || health !== undefined) return null
  const [state, label] = match as [Health, string]
  const count = data[state]
  return (
    <Button tone="primary" onClick={() => list.filter({ status: '', health: state })}>
      Show {formatCount(count)} {label.toLowerCase()} {count === 1 ? 'entry' : 'entries'}
    </Button>
  )
}

function RowActions(props: Omit<ComponentProps<typeof RowMenu>, 'clicks'>) {
  const { row } = props
  const { id } = row
  const title = titleOf(row)
  // Phones have room for two buttons; the third act is in the menu.
  const isPhone = useIsPhone()
  const [clicks, setClicks] = useState<number>()
  const more = (
    <IconButton
      label={`More for ${title}`}
      title="More"
      aria-haspopup="menu"
      onClick={({ detail }) => setClicks(detail)}
    >
      <Ellipsis size={15} aria-hidden="true" />
    </IconButton>
  )
  return (
    <>
      {!isPhone && (
        <IconButton label={`Copy ID of ${title}`} title="Copy ID" onClick={() => void copy(id)}>
          <Copy size={15} aria-hidden="true" />
        </IconButton>
      )}
      <Link
        to={modifyPath(props.tool)}
        search={{ id }}
        className={iconButtonClass}
        aria-label={`Edit ${title}`}
        title="Edit"
      >
        <Pencil size={15} aria-hidden="true" />
      </Link>
      {clicks === undefined ? (
        more
      ) : (
        <Suspense fallback={more}>
          <RowMenu {...props} clicks={clicks} />
        </Suspense>
      )}
    </>
  )
}
