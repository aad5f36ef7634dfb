import { readStorage, writeStorage } from '../../ui/browser-storage.ts'

/** The storage key that marks that no steps were left, so that Home doesn't wait for the response. */
const key = 'toolbox.first-steps'
const done = 'over'

export const wereStepsDone = (): boolean => readStorage(key) === done
export const rememberSteps = (isLeft: boolean): void => void writeStorage(key, isLeft ? '' : done)
