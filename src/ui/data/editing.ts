import { type AccessLevel, can, type RoleName, type SessionUser } from '../../shared/user.ts'
import { externalState } from '../external-state.ts'

/** The state of unsaved changes, in case the session ends or a role is lost before they are saved. */
type Editing = {
  author?: SessionUser
  /** The role that the screen needs. */
  neededRole?: readonly [RoleName, AccessLevel]
  /** Whether the author chose to sign in again later. */
  isPostponed: boolean
}

const state = externalState<Editing>({ isPostponed: false })
export const useEditing = state.use
/** One callback per form on screen that returns whether it has changes; a dialog's form may cover a page's. */
const forms = new Set<() => boolean>()
/** Whether unsaved changes have kept a guard from leaving the screen. */
let wasBlocked = false

const set = (next: Partial<Editing>) => state.set({ ...state.get(), ...next })

export const hasUnsaved = (): boolean => [...forms].some((isChanged) => isChanged())

export const authorId = (): string | undefined => state.get().author?.id

/** Called when a form is mounted. Returns a function to call when it is unmounted. */
export function registerForm(isChanged: () => boolean): () => void {
  forms.add(isChanged)
  updateAuthor()
  return () => {
    forms.delete(isChanged)
    updateAuthor()
  }
}

/** Makes this user the author of unsaved changes that have none yet. Called by forms on each render. */
export function updateAuthor(user?: SessionUser | null) {
  const author = hasUnsaved() ? (state.get().author ?? user ?? undefined) : undefined
  if (author !== state.get().author) setAuthor(author)
}

export const setAuthor = (author: SessionUser | undefined) => {
  const { author: _before, ...rest } = state.get()
  state.set({ ...rest, ...(author && { author }), isPostponed: false })
}

export const postponeSignIn = () => set({ isPostponed: true })
export const askToSignIn = () => set({ isPostponed: false })

export const setNeededRole = (role: RoleName, level: AccessLevel) => set({ neededRole: [role, level] })
export const lacksRole = ({ neededRole: needed }: Editing, user: SessionUser): boolean =>
  needed !== undefined && !can(user, ...needed)

export const lacksNeededRole = (user: SessionUser): boolean => lacksRole(state.get(), user)

/** Whether unsaved changes keep the user on the screen, even after being signed out; records that they did. */
export function blockLeaving(): boolean {
  if (!hasUnsaved()) return false
  wasBlocked = true
  return true
}
/** Whether leaving was blocked since the last call. */
export function takeBlocked(): boolean {
  const isBlocked = wasBlocked
  wasBlocked = false
  return isBlocked
}
