import { RefreshCw } from 'lucide-react'
import { Button } from '../../../ui/components/button.tsx'
import { Part } from '../../../ui/components/page/page.tsx'
import { ReachNote } from '../../../ui/components/reach-note.tsx'
import { Snippet } from '../../../ui/components/snippet.tsx'
import { laterDialog } from '../../../ui/navigation/later-dialog.ts'
import { succeed } from '../../../ui/toasts.ts'
import { useRenewHook } from './calls.ts'
import css from './side.module.css'

const useConfirmModal = laterDialog(
  async () => (await import('../../../ui/components/modal/confirm-modal.tsx')).ConfirmModal,
)

/** The secret URL that starts a run, ready to be pasted. */
export function Hook({ entry: { id, hookUrl: url } }: { entry: { id: string; hookUrl: string } }) {
  const curl = `curl -fsS -X POST ${url}`
  const step = `- name: Refresh the images of the readme\n  run: curl -fsS -X POST "$HOOK"\n  env:\n    HOOK: \${{ secrets.TOOLBOX_HOOK }}`
  return (
    <Part className={css.side} aria-label="Purge after a release">
      <h2>Purge after a release</h2>
      <p>
        A POST to this URL starts a run, at most once a minute. Images purged in the last ten minutes are skipped.
        Anyone with this URL can trigger a run. Keep it secret.
      </p>
      <ReachNote url={url} others="GitHub" />
      <Snippet title="Endpoint" text={url} />
      <RenewHook id={id} />
      <Snippet title="Shell" text={curl} />
      <Snippet title="GitHub Actions" text={step} />
      <p>
        For GitHub Actions, save the URL as a repository secret named <code>TOOLBOX_HOOK</code>.
      </p>
    </Part>
  )
}

function RenewHook({ id }: { id: string }) {
  const { Dialog, open, close, opener } = useConfirmModal()
  const renew = useRenewHook()
  return (
    <>
      <Button {...opener}>
        <RefreshCw size={15} aria-hidden="true" />
        Regenerate URL
      </Button>
      {Dialog && (
        <Dialog
          open={open}
          title="Regenerate this URL?"
          description="The current URL stops working immediately. Update everything that calls it."
          yes="Regenerate URL"
          busy={renew.isPending}
          onClose={close}
          onConfirm={() =>
            renew.mutate(id, {
              onSuccess: () => succeed('URL regenerated. Update it wherever you used the old one.'),
              onSettled: close,
            })
          }
        />
      )}
    </>
  )
}
