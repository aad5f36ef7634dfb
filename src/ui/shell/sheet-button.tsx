import { Menu as Bars } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '../components/button.tsx'
import type { MenuOf } from '../components/menu/menu.ts'
import { later } from '../navigation/idle.ts'
import css from './sheet.module.css'

const useSheet = later(async () => (await import('./sheet.tsx')).Sheet)

/** On phones: all menus behind one button. */
export function SheetButton({ menus, signedOut }: { menus: readonly MenuOf[]; signedOut: boolean }) {
  const { Component: Sheet, hurry, ask } = useSheet()
  const [open, setOpen] = useState(false)
  return (
    <div className={css.narrow}>
      <IconButton
        label="Menu"
        aria-haspopup="dialog"
        aria-expanded={open}
        onPointerEnter={hurry}
        onClick={() => void ask().then(setOpen)}
      >
        <Bars size={20} aria-hidden="true" />
      </IconButton>
      {Sheet && <Sheet open={open} onClose={() => setOpen(false)} menus={menus} signedOut={signedOut} />}
    </div>
  )
}
