import { Download } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { formatCount } from '../../shared/count.ts'
import { Button } from '../components/button.tsx'
import { reason } from '../data/api.ts'
import { saveFile } from '../save-file.ts'
import { notifyError } from '../toasts.ts'
import type { Column } from './column.ts'

/** A byte order mark, without which spreadsheets misread non-ASCII letters. */
const byteOrderMark = '\uFEFF'

/** Saves all rows that match the searches as a file. Meanwhile, the button shows the progress and cancels it. */
export function CsvButton<Row>(props: {
  /** The file name without its extension. */
  name: string
  columns: readonly Column<Row>[]
  rows: (signal: AbortSignal) => AsyncIterable<readonly Row[]>
}) {
  const [count, setCount] = useState<number>()
  const stopper = useRef<AbortController>(undefined)
  useEffect(() => () => stopper.current?.abort(), [])
  const make = async () => {
    stopper.current = new AbortController()
    const { signal } = stopper.current
    setCount(0)
    try {
      const { csvHead, csvLines } = await import('./csv.ts')
      const parts = [byteOrderMark, csvHead(props.columns)]
      let rowCount = 0
      for await (const rows of props.rows(signal)) {
        signal.throwIfAborted()
        parts.push(csvLines(props.columns, rows))
        rowCount += rows.length
        setCount(rowCount)
      }
      saveFile(parts, { name: `${props.name}.csv`, type: 'text/csv;charset=utf-8' })
    } catch (error) {
      if (!signal.aborted) notifyError(reason(error))
    }
    setCount(undefined)
  }
  const isMaking = count !== undefined
  return (
    <Button
      size="small"
      title={isMaking ? 'Stop' : 'Download these rows as a CSV file'}
      onClick={() => (isMaking ? stopper.current?.abort() : void make())}
    >
      <Download size={14} aria-hidden="true" />
      {isMaking ? `${formatCount(count)} rows… Stop` : 'CSV'}
    </Button>
  )
}
