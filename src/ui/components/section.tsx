import type { ReactNode } from 'react'
import css from './section.module.css'

export function Section({ title, note, children }: { title: string; note?: ReactNode; children: ReactNode }) {
  return (
    <section className={css.section} aria-label={title}>
      <div>
        <h2>{title}</h2>
        {note && <p>{note}</p>}
      </div>
      <div>{children}</div>
    </section>
  )
}
