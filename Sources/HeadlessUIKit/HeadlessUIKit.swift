// What `import UIKit` brings to sources that draw and lay out: Foundation, drawing without a screen and collection view layout without one.

@_exported import Foundation
@_exported import HeadlessDrawing
@_exported import HeadlessLayout
