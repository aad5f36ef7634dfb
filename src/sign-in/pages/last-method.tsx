import { useState } from 'react'
import css from '../../people/pages/auth.module.css'
import { store, stored } from '../../ui/stored.ts'

const key = 'toolbox.sign-in'

/** Remembers in this browser how somebody signed in: by the id of a provider, `credentials` or `passkey`. */
export const rememberMethod = (id: string) => store(key, id)

/** How somebody signed in here last, as it was when the screen was opened. */
export const useLastMethod = (): string | null => useState(() => stored(key))[0]

/** Marks the method that was used last. */
export const LastUsed = () => <small className={css.last}>Last used</small>
