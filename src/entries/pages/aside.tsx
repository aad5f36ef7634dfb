import type { ReactNode } from 'react'
import { Card, Part } from '../../ui/components/page.tsx'
import css from './aside.module.css'

export const AboutCard = ({ children }: { children: ReactNode }) => <Card className={css.about}>{children}</Card>

/** The steps that follow once a new entry is saved. */
export const NextSteps = ({ steps, children }: { steps: readonly ReactNode[]; children?: ReactNode }) => (
  <Part aria-label="What will happen">
    <h2>What will happen</h2>
    <ol className={css.steps}>
      {steps.map((step, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the steps keep their order
        <li key={at}>{step}</li>
      ))}
    </ol>
    {children}
  </Part>
)
