// `import UIKit`, for targets whose module alias makes it this one.
@_exported import HeadlessUIKit
