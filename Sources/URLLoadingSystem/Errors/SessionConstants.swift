/// Stands for an unknown number of bytes: -1.
public let NSURLSessionTransferSizeUnknown: Int64 = -1

/// Key in an error's `userInfo`: the resume data for `downloadTask(withResumeData:)`, as `Data`.
public let NSURLSessionDownloadTaskResumeData = "NSURLSessionDownloadTaskResumeData"

/// Key in an error's `userInfo`: the resume data for `uploadTask(withResumeData:)`, as `Data`.
public let NSURLSessionUploadTaskResumeData = "NSURLSessionUploadTaskResumeData"
