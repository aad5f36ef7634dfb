import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { Part } from '../../ui/components/page.tsx'
import { call } from '../../ui/data/call.ts'
import { useDebounced } from '../../ui/debounce.ts'
import type { PageEntry } from '../contract.ts'
import css from './status.module.css'

type Policy = { createHTML(html: string): string }
declare const trustedTypes: { createPolicy(name: string, rules: Policy): Policy } | undefined

/** The server renders this HTML like the public page: all text in it is escaped, and it contains no script. */
const rules: Policy = { createHTML: (html) => html }
const policy = typeof trustedTypes === 'undefined' ? rules : trustedTypes.createPolicy('status-preview', rules)

export type Draft = { title: string; text: string; entries: Pick<PageEntry, 'tool' | 'id' | 'showUrl' | 'name'>[] }

export function Preview({ page: { title, text, entries } }: { page: Draft }) {
  const draft = useDebounced({ title: title || 'Your title', text, entries }, 500)
  const { data, isError } = useQuery({
    queryKey: ['status', 'preview', draft],
    queryFn: () => call('POST /api/v1/user/status/preview', draft),
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 0,
    // The form's fields show the errors.
    meta: { quiet: true },
  })
  const frame = useRef<HTMLElement>(null)
  useEffect(() => {
    if (!frame.current || !data) return
    // A shadow root, so that the style sheet of the public page applies and none of the app's.
    const root = frame.current.shadowRoot ?? frame.current.attachShadow({ mode: 'open' })
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(`${data.style}.p{font-family:inherit;min-height:100%}`)
    root.adoptedStyleSheets = [sheet]
    const box = document.createElement('div')
    box.className = `p ${document.documentElement.classList.contains('dark') ? 'dark' : 'light'}`
    const inner = document.createElement('div')
    inner.className = 'm'
    inner.innerHTML = policy.createHTML(data.html)
    // Disable links, since their targets may not be public yet.
    for (const link of inner.querySelectorAll('a')) link.removeAttribute('href')
    box.append(inner)
    root.replaceChildren(box)
  }, [data])
  return (
    <Part className={css.preview} aria-label="Preview">
      <h2>Preview</h2>
      {isError ? (
        <p className={css.note}>Fix the errors in the form to see the preview.</p>
      ) : (
        <p className={css.note}>What visitors will see once you save.</p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className={css.frame} ref={frame} aria-label="The page as visitors see it" tabIndex={0} />
    </Part>
  )
}
