import { notifyManager, QueryClientProvider, useQuery } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRouter, RouterContextProvider } from '@tanstack/react-router'
import fc from 'fast-check'
import { act, type ReactNode, useLayoutEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { statusOf } from '../../ui/data/api.ts'
import { formRecordOf, queryClient } from '../../ui/data/query.ts'
import { sessionQuery } from '../../ui/data/session.ts'
import { useEdits } from '../../ui/form/conflict/edits.ts'
import { type Draft, useDraft } from '../../ui/form/draft.ts'
import { useEditor } from '../../ui/form/editor.ts'
import { entryQuery, recentQuery, useChange, useCreate, useSwitch } from './calls.ts'
import type { Common, Detail } from './tool-pages.ts'

/** The parts of a page that React, its libraries and our hooks need while nothing is rendered. */
const { target } = vi.hoisted(() => {
  const target = { addEventListener: () => {}, removeEventListener: () => {} }
  const document = { ...target, cookie: '', visibilityState: 'visible' }
  const ours = { IS_REACT_ACT_ENVIRONMENT: true, HTMLIFrameElement: class {}, document, location: { port: '' } }
  Object.assign(globalThis, { ...target, ...ours, window: globalThis, self: globalThis })
  return { target }
})

/** Mounts components that render nothing; returns a function that unmounts them. */
async function show(page: ReactNode): Promise<() => Promise<void>> {
  const place = { ...target, nodeType: 1, tagName: 'DIV', ownerDocument: { ...target, nodeType: 9 } }
  const root = createRoot(place as unknown as Element)
  await act(async () => root.render(page))
  return () => act(async () => root.unmount())
}

type Settings = { url: string }
type Values = Settings & Common
type Entry = Detail & Settings
const tool = {
  id: 'keepalive',
  label: 'Keep Alive',
  noun: 'entry',
  works: 'Up',
  today: 'Pings today',
  path: '/api/v1/keepalive',
} as const
const fields = ['url', 'name'] as const
type Field = (typeof fields)[number]
const blank: Values = { url: '', name: '', status: true, notifyAfter: 2, owner: '' }
const id = 'one'
const entryKey = entryQuery<Entry>(tool, id).queryKey

let entry: Entry | undefined
let edits = 0
function edit(values: Partial<Values>, by = 'me') {
  edits += 1
  const before = entry ?? { ...blank, id, updatedAt: 0 }
  entry = { ...before, ...values, updatedAt: edits, changedBy: by, changedById: by, changedAt: edits } as Entry
}

function answer(method: string, url: string, body: Partial<Values> & { ifUpdatedAt?: number }) {
  if (url === '/api/v1/auth/session') return { status: 200, data: { user } }
  if (url === `${tool.path}/recent`) return { status: 200, data: [] }
  if (method === 'POST') edit(body)
  if (!entry) return { status: 404, data: { error: 'Entry not found.' } }
  if (method === 'PATCH' && body.ifUpdatedAt !== undefined && body.ifUpdatedAt !== entry.updatedAt)
    return { status: 409, data: { error: 'Changed.', current: entry } }
  if (method === 'PATCH') edit(body)
  return { status: method === 'POST' ? 201 : 200, data: entry }
}
const user = { id: 'me', name: 'Me', email: 'me@example.com', roles: { Admin: 0, Tools: 1 } }

let wrong: string[] = []
/** All values typed into each field, in order. */
let typedValues: Record<Field, unknown[]> = { url: [], name: [] }
const isOlder = (field: Field, value: unknown, than: unknown) =>
  typedValues[field].lastIndexOf(value) < typedValues[field].lastIndexOf(than)

let scheduler: fc.Scheduler
let isConnected = true
let saves: { body: Values; isOver: boolean; status?: number }[] = []

/** A network that delays requests and responses by any time, so that they overtake each other. */
class Request extends EventTarget {
  status = 0
  responseText = ''
  timeout = 0
  #call: readonly [method: string, url: string] = ['', '']
  open(...call: [string, string]) {
    this.#call = call
  }
  setRequestHeader() {}
  getResponseHeader = () => null
  abort() {
    this.dispatchEvent(new Event('abort'))
  }
  async send(text: string | null) {
    const [method, url] = this.#call
    const body = JSON.parse(text ?? '{}')
    const save = { body, isOver: false, status: 0 }
    const isSave = method === 'POST' || body.ifUpdatedAt !== undefined
    if (isSave) {
      saves.push(save)
      isUnanswered = false
      if (body.ifUpdatedAt === entry?.updatedAt)
        for (const field of fields)
          if (isOlder(field, body[field], entry?.[field])) wrong.push(`sends an older ${field}`)
    }
    await scheduler.schedule(Promise.resolve(), `${method} arrives`)
    const isLost = !isConnected
    const { status, data } = isLost ? { status: 0, data: {} } : answer(method, url, body)
    const responseText = JSON.stringify(data)
    await scheduler.schedule(Promise.resolve(), `${method} is answered ${status}`)
    const failed = isLost || !isConnected
    Object.assign(save, { isOver: true, status: failed ? 0 : status })
    const isSaved = save.status >= 200 && save.status < 300
    if (isSave && !isSaved) isUnanswered = false
    // A value that the server has stored can't be lost anymore: a save, a conflict or a read returns it.
    const stored = failed ? {} : (Object(data).current ?? data)
    for (const field of fields) {
      const isStored = typed[field] === stored[field]
      // A value that undoes a save can't be lost once that save has failed. A read may be older than the save.
      const isUndone = isSave && (isStored || !isSaved)
      if (undone.has(field) ? isUndone : isStored) delete typed[field]
    }
    Object.assign(this, { status, responseText })
    this.dispatchEvent(new Event(failed ? 'error' : 'load'))
    this.dispatchEvent(new Event('loadend'))
  }
}

/** Whether Save was pressed, and nothing has been sent or explained since. */
let isUnanswered = false
const isRefused = () => Object.keys(screen?.draft.errors ?? {}).length > 0

/** The last typed values that aren't saved yet. */
let typed: Partial<Record<Field, string>> = {}
type Screen = {
  draft: Draft<Values>
  save: () => void
  saveOver: () => void
  /** Pauses the entry by a button outside the form. */
  pause?: () => void
  /** Starts to load another query, which a save reloads, too. */
  showRecent?: () => void
  isOutdated: boolean
  isExplained: boolean
}
let screen: Screen | undefined
function useScreen(next: Screen) {
  useLayoutEffect(() => {
    screen = next
    return () => {
      screen = undefined
    }
  })
}
let openEntry = () => {}

/** The contract rejects such URLs. */
const isWrong = (url: string) => url.startsWith('wrong')
const check = (body: object) => {
  const { url } = Object('values' in body ? body.values : body)
  return scheduler.schedule(Promise.resolve(isWrong(url) ? { url: 'Wrong.' } : {}), 'is checked')
}

function Create() {
  const draft = useDraft(blank)
  const mutation = useCreate(tool)
  const editor = useEditor({
    draft,
    missing: [],
    body: () => draft.values,
    check,
    mutation,
    once: true,
    onSaved: (created) => {
      draft.handOver(created.id)
      openEntry()
    },
  })
  useScreen({ draft, save: editor.save, saveOver: editor.save, isOutdated: false, isExplained: false })
  return null
}

function Modify() {
  const query = useQuery(entryQuery(tool, id))
  const found = formRecordOf(query)
  return found && <Form key={found.id} found={found} isDeleted={statusOf(query.error) === 404} />
}

const valuesOf = ({ name, status, notifyAfter, owner, ...entry }: Detail): Values => ({
  url: Object(entry).url,
  name: name ?? '',
  status,
  notifyAfter,
  owner,
})

function Form({ found, isDeleted }: { found: Detail; isDeleted: boolean }) {
  const edits = useEdits(found, valuesOf)
  const { draft } = edits
  const mutation = useChange(tool)
  const bodyOf = (ifUpdatedAt: number) => ({ id, values: draft.values, ifUpdatedAt })
  const editor = useEditor({
    draft,
    missing: [],
    body: () => bodyOf(edits.began.updatedAt),
    check,
    mutation,
    onSaved: edits.take,
    onFailed: edits.fail,
  })
  const saveOver = () => void editor.send(bodyOf(edits.latest.updatedAt))
  const { isOutdated } = edits
  const isExplained = isOutdated || edits.isGone || isDeleted
  const { mutate } = useSwitch()
  const pause = () => mutate({ tool: tool.id, id, status: false })
  const [isRecentShown, setRecentShown] = useState(false)
  useQuery({ ...recentQuery(tool), enabled: isRecentShown })
  const showRecent = () => setRecentShown(true)
  useScreen({ draft, save: editor.save, saveOver, pause, showRecent, isOutdated, isExplained })
  return null
}

function Page({ isNew }: { isNew: boolean }) {
  const [isMade, setMade] = useState(!isNew)
  useLayoutEffect(() => {
    openEntry = async () => {
      await scheduler.schedule(Promise.resolve(), 'its own screen comes')
      setMade(true)
    }
  }, [])
  return isMade ? <Modify /> : <Create />
}

const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() })
const invalidate = () => void queryClient.invalidateQueries({ queryKey: ['entries'] })
/** Fields whose previous value was typed again while a save was under way. */
let undone = new Set<Field>()
let count = 0

const acts = {
  ...Object.fromEntries(
    fields.flatMap((field) => [
      [`type ${field}`, () => type(field, `${field} ${++count}`)],
      [`undo ${field}`, () => undo(field)],
      [
        `other edits ${field}`,
        () => {
          if (entry) edit({ [field]: `theirs ${++count}` }, 'other')
          invalidate()
        },
      ],
    ]),
  ),
  'type wrong url': () => type('url', `wrong ${++count}`),
  save: () => {
    isUnanswered = screen?.draft.changed === true
    screen?.save()
  },
  pause: () => screen?.pause?.(),
  hear: invalidate,
  'show recent': () => screen?.showRecent?.(),
  lose: () => {
    isConnected = false
  },
  find: () => {
    isConnected = true
    invalidate()
  },
  delete: () => {
    // Delete the entry only if it is shown.
    const [query] = queryClient.getQueryCache().findAll({ queryKey: entryKey, type: 'active' })
    if (query) entry = undefined
    invalidate()
  },
}

function type(field: Field, value: string) {
  if (!screen) return
  screen.draft.set(field, value)
  typed[field] = value
  typedValues[field].push(value)
  undone.delete(field)
}

function undo(field: Field) {
  if (!screen) return
  const value = queryClient.getQueryData(entryKey)?.[field] ?? ''
  const save = saves.at(-1)
  const isSaving = screen.draft.isSavingNow()
  if (isSaving && save?.isOver !== false) return
  const undoesSave = isSaving && save?.body[field] !== value
  type(field, value)
  if (undoesSave) undone.add(field)
  else delete typed[field]
}

/** The fields whose typed value is not on screen. */
const lost = () => fields.filter((field) => field in typed && screen?.draft.values[field] !== typed[field])

beforeAll(() => {
  Object.assign(globalThis, { XMLHttpRequest: Request })
  Object.defineProperty(navigator, 'connection', { value: { saveData: true }, configurable: true })
  notifyManager.setScheduler(queueMicrotask)
  const { queries, ...rest } = queryClient.getDefaultOptions()
  queryClient.setDefaultOptions({ ...rest, queries: { ...queries, retry: false } })
})
afterAll(() => queryClient.clear())

const often = ['type url', 'type name', 'save', 'save'] as const
const moments = fc.array(fc.constantFrom(...often, ...Object.keys(acts)), { minLength: 3, maxLength: 14 })

/** Unmounts the page, also after a failure: a second page would falsify all runs that shrink the counterexample. */
let unmount = async () => {}

it('a form never loses what the user types, and pressing Save either saves or explains why not', async () => {
  await fc.assert(
    fc
      .asyncProperty(fc.boolean(), moments, fc.scheduler(), async (isNew, names, orders) => {
        scheduler = orders
        ;[entry, edits, count, isConnected, typed, saves] = [undefined, 0, 0, true, {}, []]
        ;[wrong, typedValues, undone] = [[], { url: [], name: [] }, new Set()]
        isUnanswered = false
        queryClient.clear()
        queryClient.setQueryData(sessionQuery.queryKey, user as never)
        if (!isNew) edit({ url: 'first', name: 'first' })
        const isOwn = !names.some((name) => /other|lose/.test(name))
        const settle = () =>
          orders.waitIdle(async (step) => {
            await act(step)
            wrong.push(...lost())
            if (isOwn && screen?.isOutdated) wrong.push('blames somebody else')
            if (!screen?.draft.changed || screen.isExplained || isRefused()) isUnanswered = false
          })
        unmount = await show(
          <QueryClientProvider client={queryClient}>
            <RouterContextProvider router={router}>
              <Page isNew={isNew} />
            </RouterContextProvider>
          </QueryClientProvider>,
        )
        await settle()
        orders.scheduleSequence(
          names.map((label) => ({ label, builder: async () => void acts[label as keyof typeof acts]() })),
        )
        await settle()
        expect(wrong).toEqual([])
        const isFailed = saves.length > 0 && ![200, 201].includes(saves.at(-1)?.status ?? 0)
        const isExplained = screen?.isExplained || isFailed || isRefused()
        if (names.findLast((name) => /save|type|undo/.test(name)) === 'save' && screen && !isExplained)
          expect(screen.draft.changed).toBe(false)
        if (screen?.draft.changed) expect(isUnanswered).toBe(false)
        isConnected = true
        await act(async () => invalidate())
        await settle()
        for (let tries = 0; tries < 5 && entry && screen?.draft.changed; tries += 1) {
          const before = saves.length
          if (isWrong(screen.draft.values.url)) await act(async () => type('url', `right ${++count}`))
          await act(async () => (screen?.isExplained ? screen.saveOver() : screen?.save()))
          await settle()
          expect(saves.length).toBeGreaterThan(before)
        }
        expect(wrong).toEqual([])
        const isShown = queryClient.getQueryData(entryKey) !== undefined
        const saved = entry && valuesOf(entry)
        if (saved && screen && isShown) expect([typed, screen.draft.values]).toEqual([{}, saved])
      })
      .afterEach(() => unmount()),
    { numRuns: 300 },
  )
})
