/** The variable in which PowerShell gets the path. */
export const PATH_VARIABLE = 'FAIRLEAD_TRASH_PATH';

/** How the script ends when it left the target because no Recycle Bin would have kept it. */
export const EXIT_DECLINED = 3;

/** How it ends when the target is gone and not in the Recycle Bin. */
export const EXIT_LOST = 4;

/**
 * What PowerShell runs. The simpler ways to the Recycle Bin delete for good, and say nothing, where a drive has none, or has one
 * that is off or too small. So this asks the shell's IFileOperation, whose sink is told before each deletion whether
 * it will be a recycling (TSF_DELETE_RECYCLE_IF_POSSIBLE, 0x80), and refuses it when not.
 *
 * Flags: FOF_SILENT 0x4, FOF_NOCONFIRMATION 0x10, FOF_NOERRORUI 0x400, FOF_NO_CONNECTED_ELEMENTS 0x2000 (a page's folder of
 * pictures stays), FOF_WANTNUKEWARNING 0x4000, FOFX_RECYCLEONDELETE 0x80000, FOFX_EARLYFAILURE 0x100000,
 * FOFX_ADDUNDORECORD 0x20000000. Methods that nobody calls hold their places in the interfaces.
 * Source: https://learn.microsoft.com/windows/win32/api/shobjidl_core/nn-shobjidl_core-ifileoperation. C# 5, which is what
 * Windows PowerShell compiles.
 */
export const RECYCLE_SCRIPT = `$ErrorActionPreference = 'Stop'
Add-Type -TypeDefinition @'
using System;
using System.Runtime.InteropServices;
namespace FairleadTrash {
  [ComImport, Guid("43826D1E-E718-42EE-BC55-A1E261C37BFE"), InterfaceType(ComInterfaceType.InterfaceIsIUnknown)]
  public interface IShellItem { }

  [ComImport, Guid("04B0F1A7-9490-44BC-96E1-4296A31252E2"), InterfaceType(ComInterfaceType.InterfaceIsIUnknown)]
  public interface ISink {
    [PreserveSig] int StartOperations();
    [PreserveSig] int FinishOperations(int result);
    [PreserveSig] int PreRenameItem(uint flags, IntPtr item, IntPtr name);
    [PreserveSig] int PostRenameItem(uint flags, IntPtr item, IntPtr name, int result, IntPtr created);
    [PreserveSig] int PreMoveItem(uint flags, IntPtr item, IntPtr folder, IntPtr name);
    [PreserveSig] int PostMoveItem(uint flags, IntPtr item, IntPtr folder, IntPtr name, int result, IntPtr created);
    [PreserveSig] int PreCopyItem(uint flags, IntPtr item, IntPtr folder, IntPtr name);
    [PreserveSig] int PostCopyItem(uint flags, IntPtr item, IntPtr folder, IntPtr name, int result, IntPtr created);
    [PreserveSig] int PreDeleteItem(uint flags, IntPtr item);
    [PreserveSig] int PostDeleteItem(uint flags, IntPtr item, int result, IntPtr created);
    [PreserveSig] int PreNewItem(uint flags, IntPtr folder, IntPtr name);
    [PreserveSig] int PostNewItem(uint flags, IntPtr folder, IntPtr name, IntPtr template, uint attributes, int result, IntPtr created);
    [PreserveSig] int UpdateProgress(uint total, uint done);
    [PreserveSig] int ResetTimer();
    [PreserveSig] int PauseTimer();
    [PreserveSig] int ResumeTimer();
  }

  [ComImport, Guid("947AAB5F-0A5C-4C13-B4D6-4BF7836FC9F8"), InterfaceType(ComInterfaceType.InterfaceIsIUnknown)]
  public interface IOperation {
    void Advise(IntPtr sink, IntPtr cookie);
    void Unadvise(uint cookie);
    void SetOperationFlags(uint flags);
    void SetProgressMessage(IntPtr message);
    void SetProgressDialog(IntPtr dialog);
    void SetProperties(IntPtr properties);
    void SetOwnerWindow(IntPtr window);
    void ApplyPropertiesToItem(IntPtr item);
    void ApplyPropertiesToItems(IntPtr items);
    void RenameItem(IntPtr item, IntPtr name, IntPtr sink);
    void RenameItems(IntPtr items, IntPtr name);
    void MoveItem(IntPtr item, IntPtr folder, IntPtr name, IntPtr sink);
    void MoveItems(IntPtr items, IntPtr folder);
    void CopyItem(IntPtr item, IntPtr folder, IntPtr name, IntPtr sink);
    void CopyItems(IntPtr items, IntPtr folder);
    void DeleteItem(IShellItem item, ISink sink);
    void DeleteItems(IntPtr items);
    void NewItem(IntPtr folder, uint attributes, IntPtr name, IntPtr template, IntPtr sink);
    [PreserveSig] int PerformOperations();
    void GetAnyOperationsAborted(out int aborted);
  }

  public class Sink : ISink {
    public bool Declined, Recycled, Lost;
    public int PreDeleteItem(uint flags, IntPtr item) {
      if ((flags & 0x80) != 0) return 0;
      Declined = true;
      return unchecked((int)0x80004004);
    }
    public int PostDeleteItem(uint flags, IntPtr item, int result, IntPtr created) {
      if (result < 0) return 0;
      if (created == IntPtr.Zero) Lost = true; else Recycled = true;
      return 0;
    }
    public int StartOperations() { return 0; }
    public int FinishOperations(int result) { return 0; }
    public int PreRenameItem(uint flags, IntPtr item, IntPtr name) { return 0; }
    public int PostRenameItem(uint flags, IntPtr item, IntPtr name, int result, IntPtr created) { return 0; }
    public int PreMoveItem(uint flags, IntPtr item, IntPtr folder, IntPtr name) { return 0; }
    public int PostMoveItem(uint flags, IntPtr item, IntPtr folder, IntPtr name, int result, IntPtr created) { return 0; }
    public int PreCopyItem(uint flags, IntPtr item, IntPtr folder, IntPtr name) { return 0; }
    public int PostCopyItem(uint flags, IntPtr item, IntPtr folder, IntPtr name, int result, IntPtr created) { return 0; }
    public int PreNewItem(uint flags, IntPtr folder, IntPtr name) { return 0; }
    public int PostNewItem(uint flags, IntPtr folder, IntPtr name, IntPtr template, uint attributes, int result, IntPtr created) { return 0; }
    public int UpdateProgress(uint total, uint done) { return 0; }
    public int ResetTimer() { return 0; }
    public int PauseTimer() { return 0; }
    public int ResumeTimer() { return 0; }
  }

  public static class Bin {
    [DllImport("shell32.dll", CharSet = CharSet.Unicode, PreserveSig = false)]
    static extern void SHCreateItemFromParsingName(string path, IntPtr context, [In] ref Guid iid, [MarshalAs(UnmanagedType.Interface)] out IShellItem item);

    public static int Recycle(string path) {
      Guid iid = typeof(IShellItem).GUID;
      IShellItem item;
      SHCreateItemFromParsingName(path, IntPtr.Zero, ref iid, out item);
      IOperation operation = (IOperation)Activator.CreateInstance(Type.GetTypeFromCLSID(new Guid("3AD05575-8857-4850-9277-11B85BDB8E09")));
      Sink sink = new Sink();
      operation.SetOperationFlags(0x4 | 0x10 | 0x400 | 0x2000 | 0x4000 | 0x80000 | 0x100000 | 0x20000000);
      operation.DeleteItem(item, sink);
      int result = operation.PerformOperations();
      int aborted;
      operation.GetAnyOperationsAborted(out aborted);
      if (sink.Lost) return ${EXIT_LOST};
      if (sink.Declined) return sink.Recycled ? 1 : ${EXIT_DECLINED};
      return result >= 0 && aborted == 0 && sink.Recycled ? 0 : 1;
    }
  }
}
'@
exit [FairleadTrash.Bin]::Recycle($env:${PATH_VARIABLE})
`;
