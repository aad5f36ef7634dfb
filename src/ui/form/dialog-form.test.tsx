import { notifyManager, QueryClientProvider, useMutation } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRouter, RouterContextProvider } from '@tanstack/react-router'
import fc from 'fast-check'
import { act, type ReactNode, useLayoutEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { CallError } from '../data/api.ts'
import { authorId, hasUnsaved } from '../data/editing.ts'
import { queryClient } from '../data/query.ts'
import { sessionQuery } from '../data/session.ts'
import { type Draft, useDraft } from './draft.ts'
import { useDialogForm, useUnsaved } from './editor.ts'

/** The minimal DOM that React, its libraries and our hooks need while nothing is rendered. */
const { target } = vi.hoisted(() => {
  const target = { addEventListener: () => {}, removeEventListener: () => {} }
  const document = { ...target, cookie: '', visibilityState: 'visible' }
  const ours = { IS_REACT_ACT_ENVIRONMENT: true, HTMLIFrameElement: class {}, document, location: { port: '' } }
  Object.assign(globalThis, { ...target, ...ours, window: globalThis, self: globalThis })
  return { target }
})

const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() })

/** Mounts components that render nothing. Returns a function that unmounts them. */
async function show(page: ReactNode): Promise<() => Promise<void>> {
  const place = { ...target, nodeType: 1, tagName: 'DIV', ownerDocument: { ...target, nodeType: 9 } }
  const root = createRoot(place as unknown as Element)
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <RouterContextProvider router={router}>{page}</RouterContextProvider>
      </QueryClientProvider>,
    ),
  )
  return () => act(async () => root.unmount())
}

const user = { id: 'me', name: 'Me', email: 'me@example.com', roles: { Admin: 0, Tools: 1 } }
const isHere = (now: typeof user | null) => queryClient.setQueryData(sessionQuery.queryKey, now as never)
const blank = { name: '' }
type Values = typeof blank

let page: Draft<Values>
let dialog: Draft<Values> | undefined
let dialogForm: { onSave: () => void } | undefined
let setOpen = (_isOpen: boolean) => {}
let render = () => {}

function Dialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const draft = useDraft(blank)
  const mutation = {
    isPending: false,
    mutate: (_body: Values, { onSuccess }: { onSuccess: (answer: string) => void }) => onSuccess('saved'),
  }
  const form = useDialogForm({ open, draft, body: () => draft.values, mutation, onSaved: onClose })
  useLayoutEffect(() => {
    dialog = open ? draft : undefined
    dialogForm = form
  })
  return null
}

function SlowDialog({ save, onSaved }: { save: (body: Values) => Promise<unknown>; onSaved: () => void }) {
  const draft = useDraft(blank)
  const mutation = useMutation({ mutationFn: save, meta: { quiet: true } })
  const form = useDialogForm({ open: true, draft, body: () => draft.values, mutation, onSaved })
  useLayoutEffect(() => {
    dialog = draft
    dialogForm = form
  })
  return null
}

/** A form, and a dialog over it that is reset each time it opens. */
function Page() {
  const draft = useDraft(blank)
  useUnsaved(draft.isChanged)
  const [open, setShown] = useState(false)
  const [turn, setTurn] = useState(0)
  const [, setCount] = useState(0)
  useLayoutEffect(() => {
    page = draft
    render = () => setCount((count) => count + 1)
    setOpen = (isOpen) => {
      if (isOpen && !open) setTurn(turn + 1)
      setShown(isOpen)
    }
  })
  return <Dialog key={turn} open={open} onClose={() => setShown(false)} />
}

beforeAll(() => notifyManager.setScheduler(queueMicrotask))
afterAll(() => queryClient.clear())

const acts = {
  'type into the page': () => page.set('name', 'a'),
  'type into the dialog': () => dialog?.set('name', 'b'),
  'reset the page': () => page.reset(),
  'open the dialog': () => setOpen(true),
  'close the dialog': () => setOpen(false),
  'save the dialog': () => dialog && dialogForm?.onSave(),
  'render again': () => render(),
  'end the session': () => isHere(null),
  'sign in': () => isHere(user),
}

it('input in a page or an open dialog counts as its author’s unsaved changes until saved or discarded', async () => {
  const names = fc.array(fc.constantFrom(...Object.keys(acts)), { minLength: 2, maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(names, async (order) => {
      isHere(user)
      const end = await show(<Page />)
      let isPageChanged = false
      let isDialogChanged = false
      let isOpen = false
      try {
        for (const name of order) {
          const isFromUser = queryClient.getQueryData(sessionQuery.queryKey) !== null
          // Users can't type on a screen that was closed at the end of their session.
          if (name.startsWith('type') && !isFromUser && !hasUnsaved()) continue
          await act(async () => void acts[name as keyof typeof acts]())
          if (name === 'type into the page') isPageChanged = true
          if (name === 'reset the page') isPageChanged = false
          if (name === 'open the dialog') isOpen = true
          if (name === 'close the dialog' || name === 'save the dialog') isOpen = false
          isDialogChanged = isOpen && (isDialogChanged || name === 'type into the dialog')
          expect(dialog?.values.name ?? '').toBe(isDialogChanged ? 'b' : '')
          expect(hasUnsaved()).toBe(isPageChanged || isDialogChanged)
          expect(authorId()).toBe(hasUnsaved() ? 'me' : undefined)
        }
      } finally {
        await end()
      }
      expect(hasUnsaved()).toBe(false)
      expect(authorId()).toBeUndefined()
    }),
    { numRuns: 100 },
  )
})

for (const outcome of ['succeeds', 'fails'] as const)
  it(`what is typed and saved during a save that ${outcome} is sent next, and closes the dialog only then`, async () => {
    const sent: { name: string; answer: PromiseWithResolvers<string> }[] = []
    const onSaved = vi.fn()
    const save = ({ name }: Values) => {
      const answer = Promise.withResolvers<string>()
      sent.push({ name, answer })
      return answer.promise
    }
    const names = () => sent.map(({ name }) => name)
    const end = await show(<SlowDialog save={save} onSaved={onSaved} />)
    for (const name of ['one', 'two']) {
      await act(async () => dialog?.set('name', name))
      await act(async () => dialogForm?.onSave())
    }
    expect(names()).toEqual(['one'])
    const refusal = new CallError('', { status: 400, data: { error: 'Invalid.', fields: { name: 'Not one.' } } })
    await act(async () => (outcome === 'fails' ? sent[0]?.answer.reject(refusal) : sent[0]?.answer.resolve('saved')))
    await vi.waitFor(() => expect(names()).toEqual(['one', 'two']))
    // The refusal was about another value.
    expect(dialog?.errors).toEqual({})
    expect(dialog?.values.name).toBe('two')
    expect(onSaved).not.toHaveBeenCalled()
    await act(async () => sent[1]?.answer.resolve('saved'))
    await vi.waitFor(() => expect(onSaved).toHaveBeenCalledOnce())
    await end()
  })
