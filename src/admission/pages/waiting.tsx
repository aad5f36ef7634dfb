import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { formatCount } from '../../shared/count.ts'
import { pages } from '../../shared/pages.ts'
import { Button } from '../../ui/components/button.tsx'
import { LoadFailed } from '../../ui/components/load-failed.tsx'
import { Ago } from '../../ui/components/moment.tsx'
import { Part } from '../../ui/components/page.tsx'
import { StatusPill, Tag } from '../../ui/components/pill.tsx'
import { useCall } from '../../ui/data/call.ts'
import { SelectBox } from '../../ui/table/selection/select-box.tsx'
import type { AccessRequest, Decision } from '../access/contract.ts'
import { areAll, useDecide, waitingQuery } from './calls.ts'
import css from './waiting.module.css'

const folded = 5
const step = 50
const nobody: { rows: readonly AccessRequest[]; total: number } = { rows: [], total: 0 }
const kinds = { request: 'Requested access', 'sign-up': 'Signed up' } as const

/** Lists the users waiting for access, newest first, to approve or decline one by one or together. */
export function Waiting() {
  const query = useQuery(waitingQuery)
  const { rows: people, total } = query.data ?? nobody
  const [chosen, setChosen] = useState<ReadonlyMap<string, AccessRequest>>(new Map())
  const [most, setMost] = useState(folded)
  const [open, setOpen] = useState(false)
  const listId = useId()
  const decide = useDecide()
  const all = useCall('GET /api/v1/admin/access-requests')
  if (people.length === 0) return <LoadFailed card what="the users who are waiting for access" queries={[query]} />
  const isPart = total > people.length
  // Another admin may have decided some of the selected requests.
  const selected = isPart ? [...chosen.values()] : people.filter(({ id }) => chosen.has(id))
  const visiblePeople = people.slice(0, most)
  // A single request is shown unfolded; several would push the list of users down.
  const isFolded = people.length > 1 && !open
  const choose = (requests: readonly AccessRequest[]) => setChosen(new Map(requests.map((one) => [one.id, one])))
  // Others may have been selected while these were being decided.
  const drop = (requests: readonly AccessRequest[]) =>
    setChosen((now) => new Map([...now].filter(([id]) => requests.every((one) => one.id !== id))))
  const act = (requests: readonly AccessRequest[]) => (decision: Decision) =>
    decide.mutate({ people: requests, decision }, { onSuccess: () => drop(requests) })
  const toggle = (one: AccessRequest, on: boolean) => (on ? choose([...chosen.values(), one]) : drop([one]))
  const toggleAll = (on: boolean) => {
    if (on && isPart) all.mutate({}, { onSuccess: (people) => choose(people as AccessRequest[]) })
    else choose(on ? people : [])
  }
  return (
    <Part className={css.waiting} aria-label="Waiting">
      <div className={css.head}>
        <h2>
          Waiting <small>{formatCount(total)}</small>
        </h2>
        {isFolded && <p className={css.names}>{namesText(people, total)}</p>}
        {people.length > 1 && open && (
          <SelectBox
            label="Select everyone waiting"
            words="All"
            checked={selected.length >= total}
            indeterminate={selected.length > 0 && selected.length < total}
            disabled={all.isPending}
            onChange={toggleAll}
          />
        )}
        {selected.length > 0 && (
          <>
            <p role="status">{formatCount(selected.length)} selected</p>
            <Acts people={selected} busy={decide.isPending} about="those selected" onAct={act(selected)} />
          </>
        )}
        {people.length > 1 && (
          <Button
            size="small"
            aria-expanded={open}
            aria-controls={open ? listId : undefined}
            onClick={() => setOpen(!open)}
          >
            {open ? 'Hide' : 'Review'}
          </Button>
        )}
      </div>
      <ul id={listId} hidden={isFolded}>
        {visiblePeople.map((one) => (
          <li key={one.id} className={css.row}>
            {people.length > 1 && (
              <SelectBox
                label={`Select ${one.email}`}
                checked={chosen.has(one.id)}
                disabled={all.isPending}
                onChange={(on) => toggle(one, on)}
              />
            )}
            <Person one={one} />
            <Acts people={[one]} busy={decide.isPending} about={one.email} onAct={act([one])} />
          </li>
        ))}
      </ul>
      {open && isPart && most >= people.length && (
        <p className={css.others}>
          These are the newest {formatCount(people.length)}. Select all to decide for everyone, or use the Waiting
          filter below.
        </p>
      )}
      {open && people.length > folded && (
        <Button size="small" onClick={() => setMost(most < people.length ? most + step : folded)}>
          {moreWords(most, people.length, total)}
        </Button>
      )}
    </Part>
  )
}

const named = 3

/** `nina, omar, rosa and 20 more`. */
function namesText(people: readonly AccessRequest[], total: number): string {
  const names = people.slice(0, named).map(({ name }) => name)
  const last = total > named ? `${formatCount(total - named)} more` : names.pop()
  return `${names.join(', ')} and ${last}`
}

function moreWords(most: number, loadedCount: number, total: number): string {
  if (most >= loadedCount) return 'Show fewer'
  if (most + step < loadedCount) return `Show ${step} more`
  return loadedCount < total ? `Show ${loadedCount - most} more` : `Show all ${formatCount(total)}`
}

const Person = ({ one: { name, email, emailVerified, message, at, kind } }: { one: AccessRequest }) => (
  <div className={css.person}>
    <p>
      <b>{name}</b>{' '}
      <Link to={pages.editUser.path} search={{ email }}>
        {email}
      </Link>{' '}
      {!emailVerified && <StatusPill look="off" text="Unverified" />}
    </p>
    {message !== null && <p className={css.message}>“{message}”</p>}
    <p className={css.when}>
      <Tag text={kinds[kind]} /> <Ago at={at} />
    </p>
  </div>
)

type ActsProps = {
  people: readonly AccessRequest[]
  busy: boolean
  about: string
  onAct: (decision: Decision) => void
}

/** The decisions to offer, most likely first. Users asking for access can already sign in, so only Tools helps them. */
function choicesFor(people: readonly AccessRequest[]): readonly (readonly [Decision, string])[] {
  const decline = ['decline', 'Decline'] as const
  if (areAll(people, 'request')) return [['tools', 'Approve with Tools'], decline]
  const tools = ['tools', 'Approve with Tools'] as const
  return areAll(people, 'sign-up') ? [['approve', 'Approve'], tools, decline] : [tools, decline]
}

function Acts({ people, busy, about, onAct }: ActsProps) {
  return (
    <div className={css.acts}>
      {choicesFor(people).map(([decision, label], index) => (
        <Button
          key={decision}
          size="small"
          tone={index === 0 ? 'primary' : 'plain'}
          disabled={busy}
          aria-description={about}
          onClick={() => onAct(decision)}
        >
          {label}
        </Button>
      ))}
    </div>
  )
}
