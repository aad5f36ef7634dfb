import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type DragEvent, useEffect, useId, useRef, useState } from 'react'
import { formatCount } from '../shared/count.ts'
import type { ImportLine, Outcome } from '../shared/schemas/import-report.ts'
import { Button } from './components/button.tsx'
import { Form } from './components/form.tsx'
import { Modal, ModalActions } from './components/modal/modal.tsx'
import { type Look, StatusPill } from './components/pill.tsx'
import { CallError, isCallCanceled, reason, request } from './data/api.ts'
import { useLeaveGuard } from './form/editor.ts'
import field from './form/field.module.css'
import { HintOrError } from './form/field.tsx'
import css from './import.module.css'
import { notify, notifyError } from './toasts.ts'

/** `tool` is the tool that the imported entry belongs to. */
type Line = ImportLine & { tool?: string | null }
type Report = Record<'created' | 'changed' | 'same', number> & { refused: readonly object[]; lines: readonly Line[] }

/** `dry` only previews; `skip` leaves out refused lines. */
type ImportRequest = { file: Blob; dry: true } | { file: Blob; dry: false; skip: boolean }
/** The pasted text, or the chosen file. */
type ImportInput = { text: string; file?: File }
const noInput: ImportInput = { text: '' }
const isSame = (a: ImportInput, b: ImportInput) => a.text === b.text && a.file === b.file
type PreviewedFile = { file: Blob; input: ImportInput; report: Report }
type Noun = readonly [one: string, many: string]

/** Takes a file, previews the import, then runs it. */
export function ImportModal(props: {
  open: boolean
  title: string
  /** The URL that the file is posted to. */
  path: string
  noun: Noun
  description: string
  accept: string
  placeholder: string
  /** The list to show after the import; `tool` is the tool that most imported entries belong to. */
  listOf: (tool: string | undefined) => { to: string; search?: Readonly<Record<string, string>> }
  onClose: () => void
}) {
  const { open, noun } = props
  const navigate = useNavigate()
  const client = useQueryClient()
  const upload = useMutation({
    mutationFn: ({ file, ...params }: ImportRequest) =>
      request<Report>({ method: 'POST', url: props.path, body: file, params }),
    meta: { quiet: true },
    onSuccess: (_report, { dry }) => void (dry || client.invalidateQueries()),
  })
  const [input, setInput] = useState(noInput)
  const [previewed, setPreviewed] = useState<PreviewedFile>()
  const [problem, setProblem] = useState<string>()
  /** Counts how often the dialog was closed or its page left, so that an earlier response changes nothing now. */
  const closeCount = useRef(0)
  useEffect(
    () => () => {
      closeCount.current += 1
    },
    [],
  )
  const close = () => {
    closeCount.current += 1
    if (upload.isPending && upload.variables.dry) upload.reset()
    setPreviewed(undefined)
    setProblem(undefined)
    props.onClose()
  }
  /** Escape keeps the input for the next time. */
  const cancel = () => {
    setInput(noInput)
    close()
  }
  const isImporting = upload.isPending && !upload.variables.dry
  useLeaveGuard(() => open && !isImporting && (input.text.trim() !== '' || input.file !== undefined))
  const fail = (error: unknown) => {
    const refusal = refusalOf(error)
    if (refusal !== undefined) return setProblem(refusal)
    if (!isCallCanceled(error)) notifyError(reason(error))
  }
  const preview = (file: Blob, input: ImportInput) => {
    setProblem(undefined)
    const onSuccess = (report: Report) => setPreviewed({ file, input, report })
    upload.mutate({ file, dry: true }, { onSuccess, onError: fail })
  }
  const runImport = ({ file, input: sent, report }: PreviewedFile) => {
    const turn = closeCount.current
    // What was added while the preview was loading isn't part of it.
    const hasMore = !isSame(input, sent)
    const onDone = (done: Report) => {
      const run = () => void navigate(props.listOf(mainToolOf(done.lines)))
      notify({ kind: 'success', message: describeResult(done, noun), act: { label: `Show ${noun[1]}`, run } })
      setInput((now) => (isSame(now, sent) ? noInput : now))
      if (turn !== closeCount.current) return
      if (hasMore) setPreviewed(undefined)
      else close()
    }
    const onError = (error: unknown) => {
      if (turn !== closeCount.current) return isCallCanceled(error) || notifyError(reason(error))
      fail(error)
      // The records may have changed since the preview, so preview again.
      if (!isCallCanceled(error)) preview(file, sent)
    }
    // Callbacks given to the mutation would not be called once the page is left.
    void upload.mutateAsync({ file, dry: false, skip: report.refused.length > 0 }).then(onDone, onError)
  }
  return (
    <Modal open={open} wide title={props.title} description={!previewed && props.description} onClose={close}>
      {open && !previewed && (
        <ImportForm
          input={input}
          onInput={setInput}
          busy={upload.isPending}
          problem={problem}
          accept={props.accept}
          placeholder={props.placeholder}
          onFile={(file) => preview(file, input)}
          onCancel={cancel}
        />
      )}
      {open && previewed && (
        <ImportPreview
          report={previewed.report}
          words={describePlan(previewed.report, noun)}
          busy={upload.isPending}
          onBack={() => setPreviewed(undefined)}
          onImport={() => runImport(previewed)}
        />
      )}
    </Modal>
  )
}

/** The tool that most created or changed entries belong to. */
function mainToolOf(lines: readonly Line[]): string | undefined {
  const written = lines.filter(({ outcome }) => outcome === 'created' || outcome === 'changed')
  const byTool = Map.groupBy(written, ({ tool }) => tool ?? undefined)
  byTool.delete(undefined)
  return [...byTool].toSorted(([, a], [, b]) => b.length - a.length)[0]?.[0]
}

/** Why the server refused the file's content; undefined for any other error. */
function refusalOf(error: unknown): string | undefined {
  const { refused, error: why } = Object(error instanceof CallError ? error.answer?.data : undefined)
  return Array.isArray(refused) ? String(why) : undefined
}

const count = (number: number, [one, many]: Noun) => `${formatCount(number)} ${number === 1 ? one : many}`
const lines: Noun = ['line is', 'lines are']

function describePlan({ created, changed, same, refused }: Report, noun: Noun): string {
  const parts = [
    created > 0 && `${count(created, noun)} will be created`,
    changed > 0 && `${formatCount(changed)} will be changed`,
    same > 0 && `${formatCount(same)} ${same === 1 ? 'is' : 'are'} unchanged`,
    refused.length > 0 && `${count(refused.length, lines)} refused`,
  ].filter((part) => part !== false)
  const sentence = [parts.slice(0, -1).join(', '), parts.at(-1)].filter(Boolean).join(' and ')
  return `${sentence || 'This file has nothing to import'}.`
}

function describeResult({ created, changed, refused }: Report, noun: Noun): string {
  const refusedNote = refused.length > 0 ? ` ${count(refused.length, lines)} left out.` : ''
  if (changed === 0) return `Created ${count(created, noun)}.${refusedNote}`
  if (created === 0) return `Changed ${count(changed, noun)}.${refusedNote}`
  return `Created ${count(created, noun)} and changed ${formatCount(changed)}.${refusedNote}`
}

const largest = 20 * 1_024 * 1_024
const types: Record<string, string> = { json: 'application/json', csv: 'text/csv' }

/** The file with the content type of its extension; otherwise plain text, whose format the server detects. */
const withContentType = (file: Blob, name = ''): Blob =>
  file.slice(0, file.size, types[/\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? ''] ?? 'text/plain')

function ImportForm(props: {
  input: ImportInput
  onInput: (input: ImportInput) => void
  busy: boolean
  problem: string | undefined
  accept: string
  placeholder: string
  onFile: (file: Blob) => void
  onCancel: () => void
}) {
  const id = useId()
  const { text, file: chosen } = props.input
  const tooLarge = chosen !== undefined && chosen.size > largest
  const [isOver, setOver] = useState(false)
  const choose = (file: File | undefined) => file && props.onInput({ text: '', file })
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    choose(event.dataTransfer.files[0])
  }
  const send = () => {
    if (text.trim() !== '') props.onFile(withContentType(new Blob([text])))
    else if (chosen) props.onFile(withContentType(chosen, chosen.name))
  }
  const error = tooLarge ? 'This file is larger than 20 MB.' : props.problem
  return (
    <Form className={css.form} onSend={send}>
      <label
        className={css.drop}
        data-over={isOver || undefined}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <input
          type="file"
          className="sr"
          aria-label="File"
          accept={props.accept}
          onChange={(event) => choose(event.target.files?.[0])}
        />
        {chosen ? <b>{chosen.name}</b> : <b>Choose a file</b>}
        <span>or drop it here</span>
      </label>
      <div className={field.field}>
        <label htmlFor={id}>Or paste its content</label>
        <textarea
          id={id}
          rows={4}
          className={`${field.input} ${field.area} ${field.code}`}
          placeholder={props.placeholder}
          value={text}
          aria-invalid={error ? true : undefined}
          aria-describedby={`${id}-about`}
          onChange={(event) => props.onInput({ text: event.target.value })}
        />
        <HintOrError id={`${id}-about`} error={error} hint="You'll see a preview before anything changes." />
      </div>
      <ModalActions>
        <Button onClick={props.onCancel}>Cancel</Button>
        <Button type="submit" tone="primary" disabled={props.busy || tooLarge || (!chosen && text.trim() === '')}>
          Preview
        </Button>
      </ModalActions>
    </Form>
  )
}

const outcomes: Record<Outcome, { text: string; look: Look }> = {
  created: { text: 'New', look: 'ok' },
  changed: { text: 'Changed', look: 'busy' },
  same: { text: 'The same', look: 'off' },
  refused: { text: 'Refused', look: 'bad' },
}
/** Lines shown at first, because more would slow down the browser. */
const initialLines = 200

/** Refused lines first, because the user has to fix those; then in the file's order. */
const inOrder = (lines: readonly Line[]) =>
  lines.toSorted((a, b) => Number(b.outcome === 'refused') - Number(a.outcome === 'refused') || a.line - b.line)

function ImportPreview(props: {
  report: Report
  /** The expected outcome, in one sentence. */
  words: string
  busy: boolean
  onBack: () => void
  onImport: () => void
}) {
  const { created, changed, refused, lines } = props.report
  const [visibleCount, setVisibleCount] = useState(initialLines)
  const ordered = inOrder(lines)
  return (
    <div className={css.form}>
      <p className={css.words} role="status">
        {props.words}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section className={css.lines} aria-label="Lines of the file" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Line</th>
              <th scope="col">What</th>
              <th scope="col">Outcome</th>
            </tr>
          </thead>
          <tbody>
            {ordered.slice(0, visibleCount).map((line, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: line numbers may repeat, and rows never move
              <Row key={index} line={line} />
            ))}
          </tbody>
        </table>
      </section>
      <ModalActions>
        {ordered.length > visibleCount && (
          <Button onClick={() => setVisibleCount(ordered.length)}>Show all {formatCount(ordered.length)}</Button>
        )}
        <Button disabled={props.busy} onClick={props.onBack}>
          Back
        </Button>
        <Button tone="primary" disabled={props.busy || created + changed === 0} onClick={props.onImport}>
          {refused.length > 0 ? 'Import the rest' : 'Import'}
        </Button>
      </ModalActions>
    </div>
  )
}

function Row({ line: { line, at, what, tool, outcome, why } }: { line: Line }) {
  const { text, look } = outcomes[outcome]
  return (
    <tr>
      <td>{at ?? formatCount(line)}</td>
      <td>
        {what || '–'}
        {tool && <small>{tool}</small>}
      </td>
      <td>
        <StatusPill look={look} text={text} />
        {why && <small className={outcome === 'refused' ? css.why : undefined}>{why}</small>}
      </td>
    </tr>
  )
}
