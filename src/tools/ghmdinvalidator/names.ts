import { entryNames } from '../../entries/names.ts'

export const ghmdinvalidatorNames = entryNames({
  id: 'ghmdinvalidator',
  label: 'GitHub Media Invalidator',
  noun: 'cache invalidator entry',
})
