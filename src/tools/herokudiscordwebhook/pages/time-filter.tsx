import { useId, useState } from 'react'
import { days, hours } from '../../../shared/time.ts'
import small from '../../../ui/form/small-select.module.css'
import { timeNow } from '../../../ui/time-now.ts'
import type { Span } from './calls.ts'
import css from './deliveries.module.css'

const lasting = { 'Last hour': hours(1), 'Last 24 hours': days(1), 'Last 7 days': days(7) }
const anyTime = 'Any time'
const custom = 'Custom…'
const choices = [anyTime, ...Object.keys(lasting), custom]

/** When the shown deliveries arrived: in the last hours or days, or between two times in the user's time zone. */
export function TimeFilter({ span, onSpan }: { span: Span; onSpan: (span: Span) => void }) {
  const id = useId()
  const [chosen, setChosen] = useState(anyTime)
  const choose = (choice: string) => {
    setChosen(choice)
    const length = Object.entries(lasting).find(([name]) => name === choice)?.[1]
    onSpan(length === undefined ? {} : { since: timeNow() - length })
  }
  return (
    <>
      <div className={css.filter}>
        <label htmlFor={id}>Received</label>
        <select className={small.select} id={id} value={chosen} onChange={(event) => choose(event.target.value)}>
          {choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      </div>
      {chosen === custom && (
        <div className={css.between}>
          <TimeField label="Received after" onTime={(since) => onSpan(spanOf({ ...span, since }))} />
          <TimeField label="Received before" onTime={(before) => onSpan(spanOf({ ...span, before }))} />
        </div>
      )}
    </>
  )
}

/** Without what isn't given. */
const spanOf = ({ since, before }: { since?: number | undefined; before?: number | undefined }): Span => ({
  ...(since !== undefined && { since }),
  ...(before !== undefined && { before }),
})

function TimeField({ label, onTime }: { label: string; onTime: (time: number | undefined) => void }) {
  return (
    <label>
      {label}
      <input
        type="datetime-local"
        className={css.search}
        onChange={(event) => {
          const time = Date.parse(event.target.value)
          onTime(Number.isFinite(time) ? time : undefined)
        }}
      />
    </label>
  )
}
