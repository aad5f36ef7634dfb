import type { ReactNode } from 'react'
import { Card } from '../../../ui/components/page/page.tsx'
import css from './about-card.module.css'

/** What a tool does, under a picture. */
export const AboutCard = ({ children }: { children: ReactNode }) => <Card className={css.about}>{children}</Card>
